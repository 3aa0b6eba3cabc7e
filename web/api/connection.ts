import { create } from 'zustand';
import { sleepUnlessAborted } from '#client/backoff';
import { syncServerClock } from '../lib/clock';

/** Whether the last request failed to reach Parley. The page stays as it is while offline, so it may be out of date. */
export const useConnection = create(() => ({ isOffline: false }));

/** `fetch` that updates the offline state after every request. */
export const trackedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    setOffline(isProxyError(response));
    syncServerClock(response.headers.get('date'));
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) setOffline(true);
    throw error;
  }
};

/** A proxy in front of Parley answered instead of Parley, whose own errors are always JSON. */
function isProxyError({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.get('content-type')?.includes('json');
}

const POLL_MS = 3_000;

function setOffline(isOffline: boolean): void {
  if (useConnection.getState().isOffline === isOffline) return;
  useConnection.setState({ isOffline });
  if (isOffline) void pollUntilReachable();
}

/** Polls the health check, because this tab may have no other request that would show that Parley is back. */
async function pollUntilReachable(): Promise<void> {
  while (useConnection.getState().isOffline) {
    await sleepUnlessAborted(POLL_MS, undefined);
    await trackedFetch('/healthz').catch(() => undefined);
  }
}

/** Calls back when a pending retry is worth running at once: the network is back, or the tab is visible again. */
export function onReconnect(callback: () => void): () => void {
  const onVisibilityChange = () => document.visibilityState === 'visible' && callback();
  window.addEventListener('online', callback);
  document.addEventListener('visibilitychange', onVisibilityChange);
  return () => {
    window.removeEventListener('online', callback);
    document.removeEventListener('visibilitychange', onVisibilityChange);
  };
}

import { create } from 'zustand';
import { sleepUnlessAborted } from '#client/backoff';
import { syncServerClock } from '../lib/clock';

/** Whether the last thing sent to Parley got through. What is on the screen stays, and may be old. */
export const useConnection = create(() => ({ isCut: false }));

/** `fetch`, watched: trouble on the way is told, and so is that it has passed. */
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

/** It was not Parley that answered, but what stands before it: Parley's own troubles are told as problems. */
function isProxyError({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.get('content-type')?.includes('json');
}

const POLL_MS = 3_000;

function setOffline(isCut: boolean): void {
  if (useConnection.getState().isCut === isCut) return;
  useConnection.setState({ isCut });
  if (isCut) void pollUntilReachable();
}

/** This tab may have nothing to ask for: so it asks whether Parley is there. */
async function pollUntilReachable(): Promise<void> {
  while (useConnection.getState().isCut) {
    await sleepUnlessAborted(POLL_MS, undefined);
    await trackedFetch('/healthz').catch(() => undefined);
  }
}

/** Called whenever it is worth trying at once what would wait: the network is back, or somebody looks again. */
export function onReconnect(act: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && act();
  window.addEventListener('online', act);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', act);
    document.removeEventListener('visibilitychange', seen);
  };
}

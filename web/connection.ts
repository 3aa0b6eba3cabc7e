import { create } from 'zustand';
import { pause } from '#client/waiting';
import { seenServerTime } from './design/clock';

/** Whether the last thing sent to Parley got through. What is on the screen stays, and may be old. */
export const useConnection = create(() => ({ isCut: false }));

/** `fetch`, watched: trouble on the way is told, and so is that it has passed. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    tell(isFromAfar(response));
    seenServerTime(response.headers.get('date'));
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) tell(true);
    throw error;
  }
};

/** It was not Parley that answered, but what stands before it: Parley's own troubles are told as problems. */
function isFromAfar({ status, headers }: Response): boolean {
  return status >= 502 && status <= 504 && !headers.get('content-type')?.includes('json');
}

const AGAIN_MS = 3_000;

function tell(isCut: boolean): void {
  if (useConnection.getState().isCut === isCut) return;
  useConnection.setState({ isCut });
  if (isCut) void tryAgain();
}

/** This tab may have nothing to ask for: so it asks whether Parley is there. */
async function tryAgain(): Promise<void> {
  while (useConnection.getState().isCut) {
    await pause(AGAIN_MS, undefined);
    await watchedFetch('/healthz').catch(() => undefined);
  }
}

/** Called whenever it is worth trying at once what would wait: the network is back, or somebody looks again. */
export function onComeback(act: () => void): () => void {
  const seen = () => document.visibilityState === 'visible' && act();
  window.addEventListener('online', act);
  document.addEventListener('visibilitychange', seen);
  return () => {
    window.removeEventListener('online', act);
    document.removeEventListener('visibilitychange', seen);
  };
}

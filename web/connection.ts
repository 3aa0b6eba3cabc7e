import { create } from 'zustand';

/** Whether the last thing sent to Parley got through. What is on the screen stays, and may be old. */
export const useConnection = create(() => ({ isCut: false }));

/** `fetch`, watched: trouble on the way is told, and so is that it has passed. */
export const watchedFetch: typeof fetch = async (input, init) => {
  try {
    const response = await fetch(input, init);
    told(false);
    return response;
  } catch (error) {
    if (!init?.signal?.aborted) told(true);
    throw error;
  }
};

function told(isCut: boolean): void {
  if (useConnection.getState().isCut !== isCut) useConnection.setState({ isCut });
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

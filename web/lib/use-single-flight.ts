import { useCallback, useRef, useState } from 'react';

/** Runs one task at a time and ignores calls while a task runs, so that a button sends once. */
export function useSingleFlight(): { isBusy: boolean; run: (task: () => Promise<void>) => Promise<void> } {
  const [isBusy, setBusy] = useState(false);
  // State updates only with the next render, too late for a second click.
  const isBusyRef = useRef(false);
  const run = useCallback(async (task: () => Promise<void>) => {
    if (isBusyRef.current) return;
    isBusyRef.current = true;
    setBusy(true);
    try {
      await task();
    } finally {
      isBusyRef.current = false;
      setBusy(false);
    }
  }, []);
  return { isBusy, run };
}

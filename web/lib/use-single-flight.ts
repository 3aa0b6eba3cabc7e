import { useCallback, useRef, useState } from 'react';

/** One thing at a time: whatever is asked for while it is under way is not done. So a button sends once. */
export function useSingleFlight(): { isBusy: boolean; once: (work: () => Promise<void>) => Promise<void> } {
  const [isBusy, setBusy] = useState(false);
  // What is shown lags behind what was pressed.
  const busy = useRef(false);
  const once = useCallback(async (work: () => Promise<void>) => {
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      busy.current = false;
      setBusy(false);
    }
  }, []);
  return { isBusy, once };
}

import { useEffect, useState, useSyncExternalStore } from 'react';

/** Who only passes by on the way to another tab is not to open and close a connection in each. */
const HIDE_DELAY_MS = 1_000;

/** Whether this tab is in sight. Of those that are not, each connection would be one less for those that are. */
export function useIsPageVisible(): boolean {
  const [isWatched, setWatched] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setWatched(true);
      else timer = setTimeout(() => setWatched(false), HIDE_DELAY_MS);
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  return isWatched;
}

/** As in inbox/page.module.css: room for a list and what is chosen from it. */
const wideScreen = window.matchMedia('(min-width: 900px)');

function subscribeToWidth(listener: () => void): () => void {
  wideScreen.addEventListener('change', listener);
  return () => wideScreen.removeEventListener('change', listener);
}

export function useIsWideScreen(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => wideScreen.matches);
}

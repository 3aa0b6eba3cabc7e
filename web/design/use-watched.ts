import { useEffect, useState } from 'react';

/** Who only passes by on the way to another tab is not to open and close a connection in each. */
const GRACE_MS = 1_000;

/** Whether this tab is in sight. Of those that are not, each connection would be one less for those that are. */
export function useWatched(): boolean {
  const [isWatched, setWatched] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setWatched(true);
      else timer = setTimeout(() => setWatched(false), GRACE_MS);
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

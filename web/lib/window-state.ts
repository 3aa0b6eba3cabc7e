import { useEffect, useState, useSyncExternalStore } from 'react';

/** Delay before a tab counts as hidden, so that switching through tabs does not close and reopen connections. */
const HIDE_DELAY_MS = 1_000;

/** Whether this tab is visible. Hidden tabs should free their connections for the visible ones. */
export function useIsPageVisible(): boolean {
  const [isVisible, setVisible] = useState(() => document.visibilityState === 'visible');
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setVisible(true);
      else timer = setTimeout(() => setVisible(false), HIDE_DELAY_MS);
    };
    update();
    document.addEventListener('visibilitychange', update);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', update);
    };
  }, []);
  return isVisible;
}

/** Same breakpoint as pages/inbox/inbox-page.module.css: room for the list and the selected question. */
const wideScreen = window.matchMedia('(min-width: 900px)');

function subscribeToWidth(listener: () => void): () => void {
  wideScreen.addEventListener('change', listener);
  return () => wideScreen.removeEventListener('change', listener);
}

export function useIsWideScreen(): boolean {
  return useSyncExternalStore(subscribeToWidth, () => wideScreen.matches);
}

import { useSyncExternalStore } from 'react';

/** As in inbox/page.module.css: room for a list and what is chosen from it. */
const wide = window.matchMedia('(min-width: 900px)');

function subscribe(listener: () => void): () => void {
  wide.addEventListener('change', listener);
  return () => wide.removeEventListener('change', listener);
}

export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => wide.matches);
}

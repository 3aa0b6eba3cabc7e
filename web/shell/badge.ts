import { useEffect } from 'react';
import { usePageTitle } from './page-title';

const MOST = 99;

/** How many wait, in the title of the tab and on its icon, where it is seen from another tab. */
export function useBadge(count: number): void {
  const title = usePageTitle((state) => state.title);
  useEffect(() => {
    const shown = count > MOST ? `${MOST}+` : String(count);
    document.title = `${count > 0 ? `(${shown}) ` : ''}${title} · Parley`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon)
      icon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(drawn(shown))}` : '/favicon.svg';
  }, [count, title]);
}

function drawn(text: string): string {
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b75"/>' +
    `<text x="16" y="${text.length > 2 ? 21 : 23}" font-family="system-ui,sans-serif" font-weight="700" ` +
    `font-size="${text.length > 2 ? 14 : 19}" text-anchor="middle" fill="#fff">${text}</text></svg>`
  );
}

import { useEffect } from 'react';
import { create } from 'zustand';

const useTitleStore = create(() => ({ title: 'Inbox' }));

/** Sets the title of the tab while this page is shown. The unread count is placed before it. */
export function useDocumentTitle(title: string): void {
  useEffect(() => useTitleStore.setState({ title }), [title]);
}

const MAX_COUNT = 99;

/** Shows the count of pending questions in the tab's title and icon, visible from other tabs. */
export function useUnreadBadge(count: number): void {
  const title = useTitleStore((state) => state.title);
  useEffect(() => {
    const label = count > MAX_COUNT ? `${MAX_COUNT}+` : String(count);
    document.title = `${count > 0 ? `(${label}) ` : ''}${title} · Parley`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
    if (icon) icon.href = count > 0 ? `data:image/svg+xml,${encodeURIComponent(drawBadge(label))}` : '/favicon.svg';
  }, [count, title]);
}

function drawBadge(text: string): string {
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#0b6b75"/>' +
    `<text x="16" y="${text.length > 2 ? 21 : 23}" font-family="system-ui,sans-serif" font-weight="700" ` +
    `font-size="${text.length > 2 ? 14 : 19}" text-anchor="middle" fill="#fff">${text}</text></svg>`
  );
}

import { useEffect } from 'react';
import { create } from 'zustand';

export const usePageTitle = create(() => ({ title: 'Inbox' }));

/** What the tab is called while this page is shown; the count goes before it. */
export function useTitle(title: string): void {
  useEffect(() => usePageTitle.setState({ title }), [title]);
}

import { create } from 'zustand';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'parley.theme';

/** Kept as plain text: public/theme.js reads it before anything is painted. */
export const useTheme = create<{ theme: Theme }>(() => ({ theme: chosen() }));

function chosen(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, theme);
  } catch {
    // It holds until the page is left.
  }
  useTheme.setState({ theme });
}

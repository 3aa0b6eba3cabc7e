import { Monitor, Moon, Sun } from 'lucide-react';
import css from './navigation.module.css';
import { setTheme, type Theme, useTheme } from './theme';

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
const ICON = { system: Monitor, light: Sun, dark: Moon };
const NAME = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };

export function ThemeButton() {
  const { theme } = useTheme();
  const Icon = ICON[theme];
  return (
    <button type="button" className={css.tool} onClick={() => setTheme(NEXT[theme])}>
      <Icon size={18} aria-hidden="true" />
      <span className={css.word}>{NAME[theme]}</span>
    </button>
  );
}

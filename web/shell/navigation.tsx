import { BookOpen, Ellipsis, Inbox, Keyboard, LogOut, MessagesSquare, Monitor, Moon, Plus, Sun } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { create } from 'zustand';
import { joinClassNames } from '../lib/class-names';
import { signOut } from '../session/authentication';
import { useHasScope } from '../session/session';
import { Dialog } from '../ui/dialog';
import { Logo } from '../ui/logo';
import css from './navigation.module.css';
import { NotificationsButton } from './notifications';

interface NavigationProps {
  person: string | null;
  count: number | undefined;
  onHelp: () => void;
}

export function Navigation({ person, count, onHelp }: NavigationProps) {
  const [path] = useLocation();
  const [isMoreOpen, setMoreOpen] = useState(false);
  const canStart = useHasScope('conversations:write');
  const isInbox = path === '/' || path.startsWith('/questions/');
  return (
    <header className={css.bar}>
      <Link href="/" className={css.brand} aria-label="Parley home">
        <Logo />
        <span className={css.text}>Parley</span>
      </Link>
      <nav className={css.items} aria-label="Main">
        <NavItem href="/" icon={<Inbox size={20} />} isCurrent={isInbox} badge={count}>
          Inbox
        </NavItem>
        <NavItem
          href="/conversations"
          icon={<MessagesSquare size={20} />}
          isCurrent={path.startsWith('/conversations')}
        >
          Conversations
        </NavItem>
        {canStart && (
          <NavItem href="/new" icon={<Plus size={20} />} isCurrent={path === '/new'}>
            New<span className={css.optional}> conversation</span>
          </NavItem>
        )}
      </nav>
      <div className={css.tools}>
        <NavigationTools person={person} onHelp={onHelp} />
      </div>
      <button type="button" className={joinClassNames(css.item, css.more)} onClick={() => setMoreOpen(true)}>
        <Ellipsis size={20} aria-hidden="true" />
        More
      </button>
      {isMoreOpen && (
        <Dialog title="More" onClose={() => setMoreOpen(false)}>
          <div className={css.list}>
            <NavigationTools
              person={person}
              onHelp={() => {
                setMoreOpen(false);
                onHelp();
              }}
            />
          </div>
        </Dialog>
      )}
    </header>
  );
}

/** Shown beside the navigation items, or behind "More" on a phone. */
function NavigationTools({ person, onHelp }: Omit<NavigationProps, 'count'>) {
  return (
    <>
      <NotificationsButton />
      <ThemeButton />
      <button type="button" className={css.tool} onClick={onHelp}>
        <Keyboard size={18} aria-hidden="true" />
        <span className={css.text}>Keyboard shortcuts</span>
      </button>
      <a className={css.tool} href="/docs">
        <BookOpen size={18} aria-hidden="true" />
        <span className={css.text}>API docs</span>
      </a>
      {person !== null && (
        <button type="button" className={css.tool} onClick={() => void signOut()}>
          <LogOut size={18} aria-hidden="true" />
          <span className={css.text}>Sign out {person}</span>
        </button>
      )}
    </>
  );
}

interface NavItemProps {
  href: string;
  icon: ReactNode;
  isCurrent: boolean;
  badge?: number | undefined;
  children: ReactNode;
}

function NavItem({ href, icon, isCurrent, badge = 0, children }: NavItemProps) {
  return (
    <Link
      href={href}
      className={joinClassNames(css.item, isCurrent && css.current)}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.label}>{children}</span>
      {badge > 0 && (
        <span className={css.badge}>
          {badge.toLocaleString('en')}
          <span className="visually-hidden"> waiting</span>
        </span>
      )}
    </Link>
  );
}

const NEXT_THEME: Record<ColorTheme, ColorTheme> = { system: 'light', light: 'dark', dark: 'system' };
const THEME_ICON = { system: Monitor, light: Sun, dark: Moon };
const THEME_LABEL = { system: 'Theme: system', light: 'Theme: light', dark: 'Theme: dark' };

function ThemeButton() {
  const { theme } = useTheme();
  const Icon = THEME_ICON[theme];
  return (
    <button type="button" className={css.tool} onClick={() => setTheme(NEXT_THEME[theme])}>
      <Icon size={18} aria-hidden="true" />
      <span className={css.text}>{THEME_LABEL[theme]}</span>
    </button>
  );
}

type ColorTheme = 'system' | 'light' | 'dark';

const THEME_STORAGE_KEY = 'parley.theme';

/** Stored as plain text, because public/theme.js reads it before the first paint. */
const useTheme = create<{ theme: ColorTheme }>(() => ({ theme: readTheme() }));

function readTheme(): ColorTheme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

function setTheme(theme: ColorTheme): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === 'system') localStorage.removeItem(THEME_STORAGE_KEY);
    else localStorage.setItem(THEME_STORAGE_KEY, theme);
  } catch {
    // The theme applies until the page is closed.
  }
  useTheme.setState({ theme });
}

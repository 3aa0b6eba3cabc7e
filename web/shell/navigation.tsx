import { BookOpen, Ellipsis, Inbox, Keyboard, LogOut, MessagesSquare, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { classes } from '../design/classes';
import { Dialog } from '../design/dialog';
import { useMay } from '../session/session';
import { signOut } from '../session/signing';
import { Logo } from './logo';
import css from './navigation.module.css';
import { NotificationsButton } from './notifications-button';
import { ThemeButton } from './theme-button';

interface Props {
  person: string | null;
  count: number | undefined;
  onHelp: () => void;
}

export function Navigation({ person, count, onHelp }: Props) {
  const [at] = useLocation();
  const [isMore, setMore] = useState(false);
  const mayStart = useMay('conversations:write');
  const isInbox = at === '/' || at.startsWith('/questions/');
  return (
    <header className={css.bar}>
      <Link href="/" className={css.brand} aria-label="Parley, to the inbox">
        <Logo />
        <span className={css.word}>Parley</span>
      </Link>
      <nav className={css.places} aria-label="Main">
        <Place href="/" icon={<Inbox size={20} />} isHere={isInbox} badge={count}>
          Inbox
        </Place>
        <Place
          href="/conversations"
          icon={<MessagesSquare size={20} />}
          isHere={at.startsWith('/conversations')}
        >
          Conversations
        </Place>
        {mayStart && (
          <Place href="/new" icon={<Plus size={20} />} isHere={at === '/new'}>
            New
          </Place>
        )}
      </nav>
      <div className={css.tools}>
        <Tools person={person} onHelp={onHelp} />
      </div>
      <button type="button" className={classes(css.place, css.more)} onClick={() => setMore(true)}>
        <Ellipsis size={20} aria-hidden="true" />
        More
      </button>
      {isMore && (
        <Dialog title="More" onClose={() => setMore(false)}>
          <div className={css.list}>
            <Tools
              person={person}
              onHelp={() => {
                setMore(false);
                onHelp();
              }}
            />
          </div>
        </Dialog>
      )}
    </header>
  );
}

/** Beside the places, or on a phone behind "More". */
function Tools({ person, onHelp }: Omit<Props, 'count'>) {
  return (
    <>
      <NotificationsButton />
      <ThemeButton />
      <button type="button" className={css.tool} onClick={onHelp}>
        <Keyboard size={18} aria-hidden="true" />
        <span className={css.word}>Keyboard</span>
      </button>
      <a className={css.tool} href="/docs">
        <BookOpen size={18} aria-hidden="true" />
        <span className={css.word}>API docs</span>
      </a>
      {person !== null && (
        <button type="button" className={css.tool} onClick={() => void signOut()}>
          <LogOut size={18} aria-hidden="true" />
          <span className={css.word}>Sign out {person}</span>
        </button>
      )}
    </>
  );
}

interface PlaceProps {
  href: string;
  icon: ReactNode;
  isHere: boolean;
  badge?: number | undefined;
  children: string;
}

function Place({ href, icon, isHere, badge = 0, children }: PlaceProps) {
  return (
    <Link
      href={href}
      className={classes(css.place, isHere && css.here)}
      aria-current={isHere ? 'page' : undefined}
    >
      <span className={css.icon} aria-hidden="true">
        {icon}
      </span>
      <span className={css.label}>{children}</span>
      {badge > 0 && (
        <span className={css.badge}>
          {badge.toLocaleString('en')}
          <span className="unseen"> waiting</span>
        </span>
      )}
    </Link>
  );
}

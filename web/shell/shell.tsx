import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useConnection } from '../api/connection';
import { followInboxStream, useInbox } from '../api/live-questions';
import { useUnreadBadge } from '../lib/document-title';
import { useShortcuts } from '../lib/shortcuts';
import { ToastRegion } from '../ui/toast';
import { KeyboardHelp } from './keyboard-help';
import { Navigation } from './navigation';
import { showQuestionNotification } from './notifications';
import css from './shell.module.css';

interface Props {
  person: string | null;
  children: ReactNode;
}

/** What is around every page: where one can go, how many questions wait, and whether the server is there. */
export function AppShell({ person, children }: Props) {
  const [, go] = useLocation();
  const [isHelping, setHelping] = useState(false);
  // What one person has read is not for the next: the shell is made anew for each.
  const [queries] = useState(createQueryClient);
  const count = useInbox(({ questions }) => questions?.length);
  useUnreadBadge(count ?? 0);

  useEffect(() => {
    const leaving = new AbortController();
    followInboxStream(person ?? '', (question) => void showQuestionNotification(question, go), leaving.signal);
    return () => leaving.abort();
  }, [person, go]);

  useShortcuts({ '?': () => setHelping(true), n: () => go('/new'), i: () => go('/') });

  return (
    <QueryClientProvider client={queries}>
      <div className={css.shell}>
        <a className={css.skip} href="#main">
          Skip to the content
        </a>
        <Navigation person={person} count={count} onHelp={() => setHelping(true)} />
        <OfflineBanner />
        <main id="main" className={css.main} tabIndex={-1}>
          {children}
        </main>
        <ToastRegion />
        {isHelping && <KeyboardHelp onClose={() => setHelping(false)} />}
      </div>
    </QueryClientProvider>
  );
}

/** There from the start, so that screen readers notice what comes into it. */
function OfflineBanner() {
  const isCut = useConnection((state) => state.isCut);
  return (
    <div role="status" className={css.away}>
      {isCut && (
        <p>Parley cannot be reached just now. What you see may be old; what you type is kept. Trying again …</p>
      )}
    </div>
  );
}

/** The client tries again by itself, and knows when that is worth it. */
function createQueryClient(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000 } } });
}

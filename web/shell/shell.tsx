import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { useConnection } from '../api/connection';
import { followInboxStream, useInbox } from '../api/live-questions';
import { statusQuery } from '../api/queries';
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

/** The frame of every page: navigation, the count of open questions, and the connection state. */
export function AppShell({ person, children }: Props) {
  const [, navigate] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  // A fresh cache for each person: the shell is remounted when another one signs in.
  const [queryClient] = useState(createQueryClient);
  const count = useInbox(({ questions }) => questions?.length);
  useUnreadBadge(count ?? 0);

  useEffect(() => {
    const controller = new AbortController();
    followInboxStream(person ?? '', (question) => void showQuestionNotification(question, navigate), controller.signal);
    return () => controller.abort();
  }, [person, navigate]);

  useEffect(() => void queryClient.prefetchQuery(statusQuery), [queryClient]);

  useShortcuts({ '?': () => setHelpOpen(true), n: () => navigate('/new'), i: () => navigate('/') });

  return (
    <QueryClientProvider client={queryClient}>
      <div className={css.shell}>
        <a className={css.skip} href="#main">
          Skip to content
        </a>
        <Navigation person={person} count={count} onHelp={() => setHelpOpen(true)} />
        <OfflineBanner />
        <main id="main" className={css.main} tabIndex={-1}>
          {children}
        </main>
        <ToastRegion />
        {isHelpOpen && <KeyboardHelp onClose={() => setHelpOpen(false)} />}
      </div>
    </QueryClientProvider>
  );
}

/** Always rendered, so that screen readers announce its content. */
function OfflineBanner() {
  const isOffline = useConnection((state) => state.isOffline);
  return (
    <div role="status" className={css.offline}>
      {isOffline && <p>You're offline. Showing saved data; your drafts are safe. Reconnecting…</p>}
    </div>
  );
}

/** No retries here: the API client retries by itself. */
function createQueryClient(): QueryClient {
  return new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 2_000 } } });
}

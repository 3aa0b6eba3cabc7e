import { Compass } from 'lucide-react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useDocumentTitle } from './lib/document-title';
import { ConversationDetailPage } from './pages/conversation/conversation-page';
import { ConversationListPage } from './pages/conversations/conversations-page';
import { InboxPage } from './pages/inbox/inbox-page';
import { SignInPage } from './pages/sign-in/sign-in-page';
import { StartPage } from './pages/start/start-page';
import { loadSession } from './session/authentication';
import { useSession } from './session/session';
import { AppShell } from './shell/shell';
import css from './shell/shell.module.css';
import { Button, buttonClassName } from './ui/button';
import { EmptyState } from './ui/empty-state';
import { ErrorBoundary, ErrorPanel } from './ui/errors';

/** Routes by the URL; all other state comes from the server. */
export function App() {
  const session = useSession();
  const [location] = useLocation();
  switch (session.phase) {
    case 'loading':
      return <p className={css.loading}>Connecting to Parley…</p>;
    case 'failed':
      return (
        <main className={css.failed}>
          <h1 className="visually-hidden">Parley</h1>
          <ErrorPanel title="Can't reach Parley">
            <p>{session.error.message}</p>
            <Button onClick={() => void loadSession()}>Try again</Button>
          </ErrorPanel>
        </main>
      );
    case 'signedOut':
      return <SignInPage isExpired={session.isExpired} />;
    case 'signedIn':
      return (
        <AppShell key={session.session.name} person={session.session.name}>
          <ErrorBoundary resetKey={location} fallback={<BrokenPage />}>
            <Switch>
              <Route path="/">
                <InboxPage />
              </Route>
              <Route path="/questions/:conversation/:question">
                {({ conversation, question }) => <InboxPage selected={`${conversation}/${question}`} />}
              </Route>
              <Route path="/new">
                <StartPage />
              </Route>
              <Route path="/conversations">
                <ConversationListPage />
              </Route>
              <Route path="/conversations/:id">{({ id }) => <ConversationDetailPage key={id} id={id} />}</Route>
              <Route>
                <NotFoundPage />
              </Route>
            </Switch>
          </ErrorBoundary>
        </AppShell>
      );
  }
}

/** Shown if a page fails to render. Drafts are saved, and other pages work. */
function BrokenPage() {
  return (
    <div className={css.failed}>
      <h1 className="visually-hidden">Something went wrong</h1>
      <ErrorPanel title="Something went wrong">
        <p>Your drafts are safe.</p>
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </ErrorPanel>
    </div>
  );
}

function NotFoundPage() {
  useDocumentTitle('Page not found');
  return (
    <>
      <h1 className="visually-hidden">Page not found</h1>
      <EmptyState icon={<Compass size={34} />} title="Page not found">
        <p>Check the address.</p>
        <Link href="/" className={buttonClassName('primary')}>
          Go to inbox
        </Link>
      </EmptyState>
    </>
  );
}

import { Route, Switch, useLocation } from 'wouter';
import { ConversationPage } from './conversation/page';
import { ConversationsPage } from './conversations/page';
import { Button } from './design/button';
import { Fallback } from './design/fallback';
import { Trouble } from './design/trouble';
import { InboxPage } from './inbox/page';
import { useSession } from './session/session';
import { SignIn } from './session/sign-in';
import { lookWho } from './session/signing';
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';
import css from './shell/shell.module.css';
import { StartPage } from './start/page';

/** The address says what is shown; everything else comes from the server. */
export function App() {
  const session = useSession();
  const [location] = useLocation();
  switch (session.phase) {
    case 'asking':
      return <p className={css.asking}>Connecting to Parley …</p>;
    case 'failed':
      return (
        <main className={css.failed}>
          <h1 className="unseen">Parley</h1>
          <Trouble title="Parley does not answer">
            <p>{session.error.message}</p>
            <Button onClick={() => void lookWho()}>Try again</Button>
          </Trouble>
        </main>
      );
    case 'out':
      return <SignIn isExpired={session.isExpired} />;
    case 'in':
      return (
        <Shell key={session.session.name} person={session.session.name}>
          <Fallback of={location} fallback={<Broken />}>
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
                <ConversationsPage />
              </Route>
              <Route path="/conversations/:id">{({ id }) => <ConversationPage key={id} id={id} />}</Route>
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Fallback>
        </Shell>
      );
  }
}

/** Never seen, one hopes. What was typed is kept, and other pages work. */
function Broken() {
  return (
    <div className={css.failed}>
      <h1 className="unseen">Something went wrong</h1>
      <Trouble title="This page could not be shown">
        <p>Nothing is lost: what you typed is kept. Load the page again, or go on elsewhere.</p>
        <Button onClick={() => window.location.reload()}>Load again</Button>
      </Trouble>
    </div>
  );
}

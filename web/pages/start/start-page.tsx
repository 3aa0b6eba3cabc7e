import { Bot, Lock } from 'lucide-react';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/queries';
import { useDocumentTitle } from '../../lib/document-title';
import { useHasScope } from '../../session/session';
import { EmptyState } from '../../ui/empty-state';
import { ErrorPanel } from '../../ui/errors';
import { StartForm } from './start-form';
import css from './start-page.module.css';

export function StartPage() {
  useDocumentTitle('New conversation');
  const canStart = useHasScope('conversations:write');
  return (
    <div className={css.page}>
      <header className={css.head}>
        <h1 className={css.title}>New conversation</h1>
        <p className={css.lead}>
          Say what you want done. The agent gets on with it, and asks where the choice is yours.
        </p>
      </header>
      {canStart ? <StartFormWithAgents /> : <NotAllowed />}
    </div>
  );
}

function StartFormWithAgents(): ReactNode {
  const { data: agents, error, refetch } = useAgents();
  if (agents && agents.length > 0) return <StartForm agents={agents} />;
  if (agents)
    return (
      <EmptyState icon={<Bot size={34} />} title="There are no agents here yet">
        <p>An agent is a Markdown file in the folder of agents. Whoever runs this Parley can add one.</p>
      </EmptyState>
    );
  if (!error) return <p className={css.loading}>Looking up the agents …</p>;
  return (
    <ErrorPanel title="The agents cannot be read just now" onRetry={() => void refetch()}>
      <p>{error.message}</p>
    </ErrorPanel>
  );
}

function NotAllowed() {
  return (
    <EmptyState icon={<Lock size={34} />} title="Your key may not start conversations">
      <p>
        That takes a key with the scope <code>conversations:write</code>. Ask whoever runs this Parley for one.
      </p>
    </EmptyState>
  );
}

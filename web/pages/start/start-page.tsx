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
        <p className={css.lead}>Describe the task. The agent works on it and asks you when it needs a decision.</p>
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
      <EmptyState icon={<Bot size={34} />} title="No agents yet">
        <p>Add a Markdown file to the agents folder.</p>
      </EmptyState>
    );
  if (!error) return <p className={css.loading}>Loading agents…</p>;
  return (
    <ErrorPanel title="Couldn't load agents" onRetry={() => void refetch()}>
      <p>{error.message}</p>
    </ErrorPanel>
  );
}

function NotAllowed() {
  return (
    <EmptyState icon={<Lock size={34} />} title="You don't have permission to start conversations">
      <p>
        Ask your administrator for the <code>conversations:write</code> scope.
      </p>
    </EmptyState>
  );
}

import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Conversation } from '#contract/conversation';
import { describeUsage } from '#presentation/labels';
import { TimeAgo } from '../../ui/time';
import css from './details-panel.module.css';
import { TodoList } from './todo-list';

/** The plan and usage figures: beside the timeline if there is room, else collapsed above it. */
export function DetailsPanel({ conversation }: { conversation: Conversation }) {
  const { todos } = conversation;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <aside className={css.aside} aria-label="About this conversation">
      <details className={css.disclosure}>
        <summary>
          <ChevronRight size={16} aria-hidden="true" />
          {todos.length > 0 ? `Plan: ${done} of ${todos.length} done` : 'Details'}
        </summary>
        <DetailsContent conversation={conversation} />
      </details>
      <div className={css.sidebar}>
        <DetailsContent conversation={conversation} />
      </div>
    </aside>
  );
}

function DetailsContent({ conversation }: { conversation: Conversation }) {
  const { id, agent, createdAt, updatedAt, questionsAsked, usage, todos, metadata } = conversation;
  return (
    <div className={css.content}>
      {todos.length > 0 && (
        <section>
          <h2>Plan</h2>
          <TodoList todos={todos} />
        </section>
      )}
      <section>
        <h2>Details</h2>
        <dl className={css.facts}>
          <DetailsRow label="Agent">{agent}</DetailsRow>
          <DetailsRow label="ID">
            <code>{id}</code>
          </DetailsRow>
          <DetailsRow label="Started">
            <TimeAgo at={createdAt} />
          </DetailsRow>
          <DetailsRow label="Last updated">
            <TimeAgo at={updatedAt} />
          </DetailsRow>
          <DetailsRow label="Questions asked">{questionsAsked}</DetailsRow>
          <DetailsRow label="Used">{describeUsage(usage).join(' · ')}</DetailsRow>
        </dl>
      </section>
      {Object.keys(metadata).length > 0 && (
        <section>
          <h2>Metadata</h2>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre className={css.metadata} tabIndex={0}>
            {JSON.stringify(metadata, null, 2)}
          </pre>
        </section>
      )}
    </div>
  );
}

function DetailsRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

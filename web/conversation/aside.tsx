import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Conversation } from '#contract/conversation';
import { Ago } from '../design/time';
import css from './aside.module.css';
import { TodoList } from './todo-list';

/** The plan and the figures: beside the timeline where there is room, folded above it where there is not. */
export function Aside({ conversation }: { conversation: Conversation }) {
  const { todos } = conversation;
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <aside className={css.aside} aria-label="About this conversation">
      <details className={css.fold}>
        <summary>
          <ChevronRight size={16} aria-hidden="true" />
          {todos.length > 0 ? `Plan: ${done} of ${todos.length} done` : 'Details'}
        </summary>
        <Content conversation={conversation} />
      </details>
      <div className={css.beside}>
        <Content conversation={conversation} />
      </div>
    </aside>
  );
}

function Content({ conversation }: { conversation: Conversation }) {
  const { id, agent, createdAt, updatedAt, questionsAsked, usage, todos, metadata } = conversation;
  const tokens = usage.inputTokens + usage.outputTokens;
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
          <Fact name="Agent">{agent}</Fact>
          <Fact name="Id">
            <code>{id}</code>
          </Fact>
          <Fact name="Started">
            <Ago at={createdAt} />
          </Fact>
          <Fact name="Last change">
            <Ago at={updatedAt} />
          </Fact>
          <Fact name="Questions asked">{questionsAsked}</Fact>
          <Fact name="Model calls">{usage.modelCalls}</Fact>
          <Fact name="Tokens">{tokens.toLocaleString('en')}</Fact>
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

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

import { Bell, ChevronRight, ListTodo, Users } from 'lucide-react';
import { Link } from 'wouter';
import type { ConversationStatus, Todo } from '#contract/conversation';
import { placeText } from '#core/words';
import { Markdown } from '../design/markdown';
import { Ago } from '../design/time';
import css from './timeline.module.css';
import { TodoList } from './todo-list';

interface MessageProps {
  role: 'user' | 'assistant';
  text: string;
  /** Nothing while it is being written. */
  at: string | undefined;
  agent: string;
}

/** What a person wrote is shown as it was typed. */
export function Message({ role, text, at, agent }: MessageProps) {
  if (role === 'user')
    return (
      <li className={css.user} dir="auto">
        <span className="unseen">Message: </span>
        {text}
      </li>
    );
  return (
    <li className={css.assistant} data-writing={at ? undefined : true}>
      <p className={css.name}>
        {agent} {at && <Ago at={at} />}
      </p>
      <Markdown text={text} />
    </li>
  );
}

export function Todos({ todos }: { todos: Todo[] }) {
  const done = todos.filter(({ status }) => status === 'completed').length;
  return (
    <li>
      <details className={css.fold}>
        <summary>
          <ListTodo size={16} aria-hidden="true" />
          <span>
            Plan: {done} of {todos.length} done
          </span>
          <ChevronRight size={16} aria-hidden="true" />
        </summary>
        <div className={css.inside}>
          <TodoList todos={todos} />
        </div>
      </details>
    </li>
  );
}

/** It stands right below it. */
const OF_QUESTION = /^question-\d+: /;
const IN_CONVERSATION = /^(.* in )([A-Za-z0-9._-]+)$/;

/** Of a sub-agent at work it names the conversation, which is a link then. */
export function Notice({ channel, what, at }: { channel: string; what: string; at: string }) {
  const isDelegate = channel === 'delegate';
  const said = isDelegate ? what : `${placeText(channel)}: ${what.replace(OF_QUESTION, '')}`;
  const [, before = said, id] = (isDelegate && IN_CONVERSATION.exec(what)) || [];
  const Icon = isDelegate ? Users : Bell;
  return (
    <li className={css.small}>
      <Icon size={15} aria-hidden="true" />
      <span dir="auto">
        {before}
        {id && <Link href={`/conversations/${id}`}>{id}</Link>}
      </span>
      <Ago at={at} />
    </li>
  );
}

const SAID: Partial<Record<ConversationStatus, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** That it runs or waits is to be seen from what it does. */
export function Status({ status, at }: { status: ConversationStatus; at: string }) {
  const said = SAID[status];
  if (!said) return null;
  return (
    <li className={css.status}>
      <span>
        {said} <Ago at={at} />
      </span>
    </li>
  );
}

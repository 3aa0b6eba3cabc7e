import { Bell, ChevronRight, ListTodo, Users, Wrench } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { ConversationStatus, Todo } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { parseStoredResult } from '#core/tools/stored-result';
import { formatArguments } from '#presentation/confirmation';
import { describeDestination } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import type { KeyedEntry, TimelineState } from '../../conversation/timeline-state';
import { QuestionCard } from '../../question/question-card';
import { Markdown } from '../../ui/markdown/markdown';
import { Pill } from '../../ui/pill';
import { TimeAgo } from '../../ui/time';
import { SubAgentQuestion } from './sub-agent-question';
import css from './timeline.module.css';
import { TodoList } from './todo-list';

/** What is shown before there is an entry for it: the text that is being written, a question while no worker is there. */
type ProvisionalEntry =
  | { kind: 'message'; role: 'assistant'; text: string; at: undefined; key: string }
  | { kind: 'question'; question: Question; key: string }
  | { kind: 'sub'; question: Question; key: string };

/** What a person reads, in order. */
export function TimelineList({ story, subQuestions }: { story: TimelineState; subQuestions: readonly Question[] }) {
  const { id, status, agent } = story.conversation;
  return (
    <ol className={css.timeline}>
      {story.isTruncated && <li className={css.small}>What came before was dropped for size.</li>}
      {insertSubQuestions(story, subQuestions).map((entry) => (
        <EntryItem key={entryKey(entry)} entry={entry} agent={agent} conversationId={id} />
      ))}
      {status === 'running' && !story.writing && <li className={css.working}>{agent} is working …</li>}
    </ol>
  );
}

/** What sub-agents ask stands where it was asked. */
function insertSubQuestions(
  story: TimelineState,
  subQuestions: readonly Question[],
): (KeyedEntry | ProvisionalEntry)[] {
  const all: (KeyedEntry | ProvisionalEntry)[] = [...story.entries, ...provisionalEntries(story)];
  for (const question of subQuestions) {
    const after = all.findIndex((entry) => (entryTime(entry) ?? '~') > question.askedAt);
    all.splice(after < 0 ? all.length : after, 0, { kind: 'sub', question, key: toQuestionKey(question) });
  }
  return all;
}

function entryTime(entry: KeyedEntry | ProvisionalEntry): string | undefined {
  if (entry.kind === 'sub' || entry.kind === 'question') return entry.question.askedAt;
  return entry.at;
}

function provisionalEntries({ conversation: { question }, entries, writing }: TimelineState): ProvisionalEntry[] {
  const early: ProvisionalEntry[] = [];
  if (writing) early.push({ kind: 'message', role: 'assistant', at: undefined, ...writing });
  const isShown = entries.some((entry) => entry.kind === 'question' && entry.question.id === question?.id);
  if (question && !isShown) early.push({ kind: 'question', question, key: question.id });
  return early;
}

/** The same before and after there is an entry for it, so that it stays the same element: nothing flickers or loses focus. */
function entryKey(entry: KeyedEntry | ProvisionalEntry): string {
  return entry.kind === 'question' ? entry.question.id : entry.key;
}

interface EntryItemProps {
  entry: KeyedEntry | ProvisionalEntry;
  agent: string;
  conversationId: string;
}

const EntryItem = memo(function EntryItem({ entry, agent, conversationId }: EntryItemProps) {
  switch (entry.kind) {
    case 'message':
      return <TimelineMessage role={entry.role} text={entry.text} at={entry.at} agent={agent} />;
    case 'question':
      return (
        <li>
          <QuestionCard question={entry.question} />
        </li>
      );
    case 'sub':
      return <SubAgentQuestion question={entry.question} />;
    case 'tool':
      return <TimelineToolCall entry={entry} conversationId={conversationId} />;
    case 'todos':
      return <TimelineTodos todos={entry.todos} />;
    case 'notice':
      return <TimelineNotice what={entry.what} at={entry.at} channel={entry.channel} />;
    case 'status':
      return <TimelineStatus status={entry.status} at={entry.at} />;
  }
});

interface TimelineMessageProps {
  role: 'user' | 'assistant';
  text: string;
  /** Nothing while it is being written. */
  at: string | undefined;
  agent: string;
}

/** What a person wrote is shown as it was typed. */
function TimelineMessage({ role, text, at, agent }: TimelineMessageProps) {
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
        {agent} {at && <TimeAgo at={at} />}
      </p>
      <Markdown text={text} />
    </li>
  );
}

function TimelineTodos({ todos }: { todos: Todo[] }) {
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
const QUESTION_PREFIX = /^question-\d+: /;
const CONVERSATION_SUFFIX = /^(.* in )([A-Za-z0-9._-]+)$/;

/** Of a sub-agent at work it names the conversation, which is a link then. */
function TimelineNotice({ channel, what, at }: { channel: string; what: string; at: string }) {
  const isDelegate = channel === 'delegate';
  const said = isDelegate ? what : `${describeDestination(channel)}: ${what.replace(QUESTION_PREFIX, '')}`;
  const [, before = said, id] = (isDelegate && CONVERSATION_SUFFIX.exec(what)) || [];
  const Icon = isDelegate ? Users : Bell;
  return (
    <li className={css.small}>
      <Icon size={15} aria-hidden="true" />
      <span dir="auto">
        {before}
        {id && <Link href={`/conversations/${id}`}>{id}</Link>}
      </span>
      <TimeAgo at={at} />
    </li>
  );
}

const STATUS_LABEL: Partial<Record<ConversationStatus, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** That it runs or waits is to be seen from what it does. */
function TimelineStatus({ status, at }: { status: ConversationStatus; at: string }) {
  const said = STATUS_LABEL[status];
  if (!said) return null;
  return (
    <li className={css.status}>
      <span>
        {said} <TimeAgo at={at} />
      </span>
    </li>
  );
}

interface TimelineToolCallProps {
  entry: Extract<TimelineEntry, { kind: 'tool' }>;
  conversationId: string;
}

/** A tool that was used: one line, and all of it for those who open it. */
function TimelineToolCall({ entry, conversationId }: TimelineToolCallProps) {
  const { name, input, result, error } = entry;
  return (
    <li>
      <details className={css.fold}>
        <summary>
          <Wrench size={15} aria-hidden="true" />
          <span>
            Used <code>{name}</code>
          </span>
          {error !== undefined && <Pill tone="danger">failed</Pill>}
          <ChevronRight size={16} aria-hidden="true" />
        </summary>
        <div className={css.inside}>
          <ToolCallText title="Input" text={formatArguments(input)} />
          {result !== undefined && <ToolCallResult title="Result" text={result} of={conversationId} />}
          {error !== undefined && <ToolCallResult title="Error" text={error} of={conversationId} />}
        </div>
      </details>
    </li>
  );
}

/** What came of it, or its beginning and a way to the rest. */
function ToolCallResult({ title, text, of }: { title: string; text: string; of: string }) {
  const kept = parseStoredResult(text);
  if (!kept) return <ToolCallText title={title} text={text} />;
  return (
    <>
      <ToolCallText title={title} text={kept.shown} />
      <p>
        This is the beginning of {kept.length.toLocaleString('en')} characters.{' '}
        <a href={`/v1/conversations/${of}/results/${kept.handle}`} target="_blank" rel="noreferrer">
          Read all of it
        </a>
      </p>
    </>
  );
}

function ToolCallText({ title, text }: { title: string; text: string }) {
  return (
    <>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </>
  );
}

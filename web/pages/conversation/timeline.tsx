import { Bell, ChevronRight, ListTodo, Users, Wrench } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import type { ConversationStatus, Todo } from '#contract/conversation';
import type { Question } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { parseStoredResult } from '#core/tools/stored-result-marker';
import { formatArguments } from '#presentation/confirmation';
import { formatShortDuration } from '#presentation/format-time';
import { describeActor, describeChannel, describeNotice, findDelegate, formatModelRetry } from '#presentation/labels';
import { toQuestionKey } from '#presentation/question-list';
import type { KeyedEntry, TimelineState } from '../../conversation/timeline-state';
import { useNow } from '../../lib/clock';
import { QuestionCard } from '../../question/question-card';
import { Markdown } from '../../ui/markdown/markdown';
import { Pill } from '../../ui/pill';
import { TimeAgo } from '../../ui/time';
import { SubAgentQuestion } from './sub-agent-question';
import css from './timeline.module.css';
import { TodoList } from './todo-list';

/** Shown before its entry exists: a partial text, or an open question while no worker can return the timeline. */
type ProvisionalEntry =
  | { kind: 'message'; role: 'assistant'; text: string; at: undefined; key: string }
  | { kind: 'question'; question: Question; key: string }
  | { kind: 'subAgentQuestion'; question: Question; key: string };

/** Lists the timeline entries in order. */
export function TimelineList({
  timeline,
  subAgentQuestions,
}: {
  timeline: TimelineState;
  subAgentQuestions: readonly Question[];
}) {
  const { id, status, agent } = timeline.conversation;
  const { text, thinkingSince, retry } = timeline.partialText ?? {};
  return (
    <ol className={css.timeline}>
      {timeline.isTruncated && <li className={css.note}>Earlier entries were removed to save space.</li>}
      {insertSubAgentQuestions(timeline, subAgentQuestions).map((entry) => (
        <EntryItem key={entryKey(entry)} entry={entry} agent={agent} conversationId={id} />
      ))}
      {status === 'running' && (thinkingSince || retry || !text) && (
        <li className={css.working}>
          {thinkingSince ? (
            <ThinkingTime agent={agent} since={thinkingSince} />
          ) : retry ? (
            formatModelRetry(retry)
          ) : (
            `${agent} is working…`
          )}
        </li>
      )}
    </ol>
  );
}

function ThinkingTime({ agent, since }: { agent: string; since: string }) {
  const now = useNow();
  return `${agent} has been thinking for ${formatShortDuration(Math.max(now - Date.parse(since), 0))}…`;
}

/** Inserts the questions of sub-agents at the time they were asked. */
function insertSubAgentQuestions(
  timeline: TimelineState,
  subAgentQuestions: readonly Question[],
): (KeyedEntry | ProvisionalEntry)[] {
  const entries: (KeyedEntry | ProvisionalEntry)[] = [...timeline.entries, ...provisionalEntries(timeline)];
  for (const question of subAgentQuestions) {
    const insertAt = entries.findIndex((entry) => (entryTime(entry) ?? '~') > question.askedAt);
    entries.splice(insertAt < 0 ? entries.length : insertAt, 0, {
      kind: 'subAgentQuestion',
      question,
      key: toQuestionKey(question),
    });
  }
  return entries;
}

function entryTime(entry: KeyedEntry | ProvisionalEntry): string | undefined {
  if (entry.kind === 'subAgentQuestion' || entry.kind === 'question') return entry.question.askedAt;
  return entry.at;
}

function provisionalEntries({ conversation: { question }, entries, partialText }: TimelineState): ProvisionalEntry[] {
  const provisional: ProvisionalEntry[] = [];
  const { key, text } = partialText ?? {};
  if (key && text) provisional.push({ kind: 'message', role: 'assistant', at: undefined, key, text });
  const isShown = entries.some((entry) => entry.kind === 'question' && entry.question.id === question?.id);
  if (question && !isShown) provisional.push({ kind: 'question', question, key: question.id });
  return provisional;
}

/** The same key before and after the entry exists, so that the element keeps its focus and does not flicker. */
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
      return <TimelineMessage entry={entry} agent={agent} />;
    case 'question':
      return (
        <li>
          <QuestionCard question={entry.question} />
        </li>
      );
    case 'subAgentQuestion':
      return <SubAgentQuestion question={entry.question} />;
    case 'tool':
      return <TimelineToolCall entry={entry} conversationId={conversationId} />;
    case 'todos':
      return <TimelineTodos todos={entry.todos} />;
    case 'notice':
      return <TimelineNotice entry={entry} />;
    case 'status':
      return <TimelineStatus entry={entry} />;
  }
});

type MessageEntry = Extract<TimelineEntry | ProvisionalEntry, { kind: 'message' }>;

/** Shows a user message as it was typed. A partial text has no time yet. */
function TimelineMessage({ entry, agent }: { entry: MessageEntry; agent: string }) {
  const { role, text, at } = entry;
  const author = 'by' in entry && entry.by ? `${entry.by} ${describeChannel(entry.via)}` : undefined;
  if (role === 'user')
    return (
      <li className={css.user} dir="auto">
        {author && <p className={css.name}>{author}</p>}
        <span className="visually-hidden">Message: </span>
        {text}
      </li>
    );
  return (
    <li className={css.assistant} data-partial={at ? undefined : true}>
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
      <details className={css.disclosure}>
        <summary>
          <ListTodo size={16} aria-hidden="true" />
          <span>
            Plan: {done} of {todos.length} done
          </span>
          <ChevronRight size={16} aria-hidden="true" />
        </summary>
        <div className={css.content}>
          <TodoList todos={todos} />
        </div>
      </details>
    </li>
  );
}

const CONVERSATION_SUFFIX = /^(.* in )([A-Za-z0-9._-]+)$/;

/** A notice about a sub-agent names its conversation, which becomes a link. */
function TimelineNotice({ entry }: { entry: Extract<TimelineEntry, { kind: 'notice' }> }) {
  const isSubAgentNotice = entry.channel === 'delegate';
  const description = describeNotice(entry);
  const [, prefix = description, linkedId] = (isSubAgentNotice && CONVERSATION_SUFFIX.exec(entry.what)) || [];
  const Icon = isSubAgentNotice ? Users : Bell;
  return (
    <li className={css.note}>
      <Icon size={15} aria-hidden="true" />
      <span dir="auto">
        {prefix}
        {linkedId && <Link href={`/conversations/${linkedId}`}>{linkedId}</Link>}
      </span>
      <TimeAgo at={entry.at} />
    </li>
  );
}

const STATUS_LABEL: Partial<Record<ConversationStatus, string>> = {
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Shows only some statuses: running and waiting are visible from the other entries. */
function TimelineStatus({ entry }: { entry: Extract<TimelineEntry, { kind: 'status' }> }) {
  const label = STATUS_LABEL[entry.status];
  if (!label) return null;
  return (
    <li className={css.status}>
      <span>
        {label}
        {describeActor(entry)} <TimeAgo at={entry.at} />
      </span>
    </li>
  );
}

interface TimelineToolCallProps {
  entry: Extract<TimelineEntry, { kind: 'tool' }>;
  conversationId: string;
}

/** A tool call: one line that expands to show everything. */
function TimelineToolCall({ entry, conversationId }: TimelineToolCallProps) {
  const { name, input, result, error } = entry;
  const delegate = findDelegate(name, input);
  return (
    <li>
      <details className={css.disclosure}>
        <summary>
          <Wrench size={15} aria-hidden="true" />
          <span>
            {delegate ? 'Delegated to' : 'Used'} <code>{delegate ?? name}</code>
          </span>
          {error !== undefined && <Pill tone="danger">failed</Pill>}
          <ChevronRight size={16} aria-hidden="true" />
        </summary>
        <div className={css.content}>
          <ToolCallText title="Input" text={formatArguments(input)} />
          {result !== undefined && <ToolCallResult title="Result" text={result} conversationId={conversationId} />}
          {error !== undefined && <ToolCallResult title="Error" text={error} conversationId={conversationId} />}
        </div>
      </details>
    </li>
  );
}

/** The result, or its beginning with a link to the full text. */
function ToolCallResult({ title, text, conversationId }: { title: string; text: string; conversationId: string }) {
  const stored = parseStoredResult(text);
  if (!stored) return <ToolCallText title={title} text={text} />;
  return (
    <>
      <ToolCallText title={title} text={stored.shown} />
      <p>
        Showing the start of {stored.length.toLocaleString('en')} characters.{' '}
        <a href={`/v1/conversations/${conversationId}/results/${stored.handle}`} target="_blank" rel="noreferrer">
          View full result
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

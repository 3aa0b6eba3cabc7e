import { memo } from 'react';
import type { Question } from '#contract/question';
import { keyOf } from '#core/question-key';
import { QuestionCard } from '../question/card';
import { Message, Notice, Status, Todos } from './entries';
import type { Story, Told } from './story';
import { SubQuestion } from './sub-question';
import css from './timeline.module.css';
import { ToolUse } from './tool-use';

/** What is shown before there is an entry for it: the text that is being written, a question while no worker is there. */
type Early =
  | { kind: 'message'; role: 'assistant'; text: string; at: undefined; key: string }
  | { kind: 'question'; question: Question; key: string }
  | { kind: 'sub'; question: Question; key: string };

/** What a person reads, in order. */
export function Timeline({ story, subQuestions }: { story: Story; subQuestions: readonly Question[] }) {
  const { id, status, agent } = story.conversation;
  return (
    <ol className={css.timeline}>
      {story.isTruncated && <li className={css.small}>What came before was dropped for size.</li>}
      {inOrder(story, subQuestions).map((entry) => (
        <EntryItem key={keyIn(entry)} entry={entry} agent={agent} conversationId={id} />
      ))}
      {status === 'running' && !story.writing && <li className={css.working}>{agent} is working …</li>}
    </ol>
  );
}

/** What sub-agents ask stands where it was asked. */
function inOrder(story: Story, subQuestions: readonly Question[]): (Told | Early)[] {
  const all: (Told | Early)[] = [...story.entries, ...earlyIn(story)];
  for (const question of subQuestions) {
    const after = all.findIndex((entry) => (timeOf(entry) ?? '~') > question.askedAt);
    all.splice(after < 0 ? all.length : after, 0, { kind: 'sub', question, key: keyOf(question) });
  }
  return all;
}

function timeOf(entry: Told | Early): string | undefined {
  if (entry.kind === 'sub' || entry.kind === 'question') return entry.question.askedAt;
  return entry.at;
}

function earlyIn({ conversation: { question }, entries, writing }: Story): Early[] {
  const early: Early[] = [];
  if (writing) early.push({ kind: 'message', role: 'assistant', at: undefined, ...writing });
  const isShown = entries.some((entry) => entry.kind === 'question' && entry.question.id === question?.id);
  if (question && !isShown) early.push({ kind: 'question', question, key: question.id });
  return early;
}

/** The same before and after there is an entry for it, so that it stays the same element: nothing flickers or loses focus. */
function keyIn(entry: Told | Early): string {
  return entry.kind === 'question' ? entry.question.id : entry.key;
}

interface ItemProps {
  entry: Told | Early;
  agent: string;
  conversationId: string;
}

const EntryItem = memo(function EntryItem({ entry, agent, conversationId }: ItemProps) {
  switch (entry.kind) {
    case 'message':
      return <Message role={entry.role} text={entry.text} at={entry.at} agent={agent} />;
    case 'question':
      return (
        <li>
          <QuestionCard question={entry.question} />
        </li>
      );
    case 'sub':
      return <SubQuestion question={entry.question} />;
    case 'tool':
      return <ToolUse entry={entry} conversationId={conversationId} />;
    case 'todos':
      return <Todos todos={entry.todos} />;
    case 'notice':
      return <Notice what={entry.what} at={entry.at} channel={entry.channel} />;
    case 'status':
      return <Status status={entry.status} at={entry.at} />;
  }
});

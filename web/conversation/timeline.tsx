import { memo } from 'react';
import { QuestionCard } from '../question/card';
import { Message, Notice, Status, Todos } from './entries';
import type { Story, Told } from './story';
import css from './timeline.module.css';
import { ToolUse } from './tool-use';

/** A message that has no time of its own yet. */
const UNDER_WAY = { kind: 'message', role: 'assistant', at: undefined } as const;

/** What a person reads, in order, and the text that is being written. */
export function Timeline({ story }: { story: Story }) {
  const { conversation, entries, writing, isTruncated } = story;
  const { question, agent } = conversation;
  // In one list and of one kind with what is written: so it stays the same on the page when it is complete.
  const all = writing ? [...entries, { ...UNDER_WAY, ...writing }] : entries;
  const isShown = entries.some((entry) => entry.kind === 'question' && entry.question.id === question?.id);
  return (
    <ol className={css.timeline}>
      {isTruncated && <li className={css.small}>What came before was dropped for size.</li>}
      {all.map((entry) => (
        <EntryItem key={entry.key} entry={entry} agent={agent} />
      ))}
      {question && !isShown && (
        <li key={question.id}>
          <QuestionCard question={question} />
        </li>
      )}
      {conversation.status === 'running' && !writing && <li className={css.working}>{agent} is working …</li>}
    </ol>
  );
}

interface ItemProps {
  entry: Told | (typeof UNDER_WAY & { text: string });
  agent: string;
}

const EntryItem = memo(function EntryItem({ entry, agent }: ItemProps) {
  switch (entry.kind) {
    case 'message':
      return <Message role={entry.role} text={entry.text} at={entry.at} agent={agent} />;
    case 'question':
      return (
        <li>
          <QuestionCard question={entry.question} />
        </li>
      );
    case 'tool':
      return <ToolUse entry={entry} />;
    case 'todos':
      return <Todos todos={entry.todos} />;
    case 'notice':
      return <Notice what={entry.what} at={entry.at} channel={entry.channel} />;
    case 'status':
      return <Status status={entry.status} at={entry.at} />;
  }
});

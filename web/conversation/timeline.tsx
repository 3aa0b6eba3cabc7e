import { memo } from 'react';
import { Markdown } from '../design/markdown';
import { QuestionCard } from '../question/card';
import { Message, Notice, Status, Todos } from './entries';
import type { Story, Told } from './story';
import css from './timeline.module.css';
import { ToolUse } from './tool-use';

/** What a person reads, in order, and the text that is being written. */
export function Timeline({ story }: { story: Story }) {
  const { conversation, entries, writing, isTruncated } = story;
  const { question, agent } = conversation;
  const isShown = entries.some((entry) => entry.kind === 'question' && entry.question.id === question?.id);
  return (
    <ol className={css.timeline}>
      {isTruncated && <li className={css.small}>What came before was dropped for size.</li>}
      {entries.map((entry) => (
        <EntryItem key={entry.key} entry={entry} agent={agent} />
      ))}
      {writing && (
        <li key={writing.key} className={css.assistant} data-writing>
          <p className={css.name}>{agent}</p>
          <Markdown text={writing.text} />
        </li>
      )}
      {question && !isShown && (
        <li key={question.id}>
          <QuestionCard question={question} />
        </li>
      )}
      {conversation.status === 'running' && !writing && <li className={css.working}>{agent} is working …</li>}
    </ol>
  );
}

const EntryItem = memo(function EntryItem({ entry, agent }: { entry: Told; agent: string }) {
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

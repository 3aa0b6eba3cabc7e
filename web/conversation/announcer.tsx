import { headline } from '#core/words';
import type { Story, Told } from './story';

const LONGEST = 300;

/** For ears: what is new, once it is whole. What is read out while it is written would stutter. */
export function Announcer({ story: { entries, conversation } }: { story: Story }) {
  const last = entries.findLast(isWorthSaying);
  return (
    <div className="unseen" role="status">
      {last && said(last, conversation.agent)}
    </div>
  );
}

function isWorthSaying(entry: Told): boolean {
  return entry.kind === 'question' || (entry.kind === 'message' && entry.role === 'assistant');
}

function said(entry: Told, agent: string): string {
  if (entry.kind === 'question' && entry.question.status === 'pending')
    return `${agent} asks: ${headline(entry.question)}`;
  return entry.kind === 'message' ? `${agent} says: ${entry.text.slice(0, LONGEST)}` : '';
}

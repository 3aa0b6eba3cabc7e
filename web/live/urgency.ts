import type { Question } from '../../src/contract/question';

/** Soonest deadline first; of those that wait for ever, the one that waits longest. */
export function mostUrgentFirst(questions: readonly Question[]): Question[] {
  return [...questions].sort((a, b) => compare(rankOf(a), rankOf(b)));
}

function rankOf({ expiresAt, askedAt, conversationId }: Question): string {
  return `${expiresAt ?? '~'} ${askedAt} ${conversationId}`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const HOUR_MS = 3_600_000;

export type Urgency = 'late' | 'soon' | 'calm';

/** Whether a deadline has to be seen: within the hour it does. */
export function urgencyOf({ expiresAt }: Pick<Question, 'expiresAt'>, now: number): Urgency {
  if (expiresAt === null) return 'calm';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'late';
  return leftMs < HOUR_MS ? 'soon' : 'calm';
}

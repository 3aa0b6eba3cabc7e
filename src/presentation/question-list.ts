import type { Question } from '#contract/question';

/** Sorts by deadline, soonest first; questions without a deadline come last, oldest first. */
export function sortByUrgency(questions: readonly Question[]): Question[] {
  return [...questions].sort((a, b) => (urgencyRank(a) < urgencyRank(b) ? -1 : 1));
}

/** Inserts a question into a list sorted by urgency. The list must not contain it yet. */
export function insertByUrgency(questions: readonly Question[], question: Question): Question[] {
  const rank = urgencyRank(question);
  let low = 0;
  let high = questions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (urgencyRank(questions[middle] as Question) < rank) low = middle + 1;
    else high = middle;
  }
  return questions.toSpliced(low, 0, question);
}

/** Sorts as text. */
export function urgencyRank({ expiresAt, askedAt, conversationId }: Question): string {
  return `${expiresAt ?? '~'} ${askedAt} ${conversationId}`;
}

const HOUR_MS = 3_600_000;

export type Urgency = 'late' | 'soon' | 'calm';

/** Returns how urgent a deadline is: `soon` means within the hour. */
export function classifyUrgency({ expiresAt }: Pick<Question, 'expiresAt'>, now: number): Urgency {
  if (expiresAt === null) return 'calm';
  const leftMs = Date.parse(expiresAt) - now;
  if (leftMs <= 0) return 'late';
  return leftMs < HOUR_MS ? 'soon' : 'calm';
}

export type QuestionKey = string;

/** Returns a key that is unique across conversations; question ids are not. */
export function toQuestionKey({ conversationId, id }: Pick<Question, 'conversationId' | 'id'>): QuestionKey {
  return `${conversationId}/${id}`;
}

import type { Question } from '#contract/question';

export type QuestionKey = string;

/** Ids of questions begin anew in each conversation. */
export function keyOf({ conversationId, id }: Pick<Question, 'conversationId' | 'id'>): QuestionKey {
  return `${conversationId}/${id}`;
}

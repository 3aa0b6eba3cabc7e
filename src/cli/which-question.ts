import type { Parley } from '#client/parley';
import { ParleyError } from '#client/parley-error';
import type { Question } from '#contract/question';
import { misuse } from './exit';
import { safeLine } from './text/safe';

const NAMED = 10;

/**
 * The question that is meant: the one that is named, else the one that is open, here or with a sub-agent that works for this
 * conversation, else the last one there was.
 */
export async function whichQuestion(
  parley: Parley,
  id: string,
  named: string | undefined,
): Promise<Question> {
  if (named !== undefined) return parley.question(id, named);
  const [latest, refusal] = await latestOf(parley, id);
  if (latest?.status === 'pending') return latest;
  const { items } = await parley.inbox({ conversation: id, limit: NAMED });
  const [only, ...more] = items;
  if (more.length > 0) throw misuse(`Several agents ask at once. Name one of them: ${idsOf(items)}.`);
  if (only) return only;
  if (latest) return latest;
  throw refusal;
}

async function latestOf(parley: Parley, id: string): Promise<[Question | undefined, unknown]> {
  try {
    return [await parley.question(id), undefined];
  } catch (error) {
    if (error instanceof ParleyError && error.code === 'question_not_found') return [undefined, error];
    throw error;
  }
}

function idsOf(questions: Question[]): string {
  return questions.map(({ conversationId }) => safeLine(conversationId)).join(', ');
}

import { Refusal } from '#api/errors';
import type { Gateway } from '#api/gateway';
import { readQuestion } from '#api/reading';
import type { Run } from '#api/run';
import type { Question } from '#contract/question';

/** A question that waits, and the run it was seen in. */
export interface Waiting {
  run: Run;
  question: Question;
}

/** What became of a question that is in the list no more. `unknown` where nobody can tell just now. */
export type Fate = { settled: Question } | 'pending' | 'unknown';

/** The questions of these runs, by conversation and question. */
export function waitingIn(runs: Run[]): Map<string, Waiting> {
  return new Map(
    runs.flatMap((run) => {
      const { question } = run.memo;
      return question ? [[`${run.id} ${question.id}`, { run, question }] as const] : [];
    }),
  );
}

/** By the run's own account: Visibility may lag, and forgets a run for a moment while it rolls over. */
export async function fateOf(gateway: Gateway, { run, question }: Waiting): Promise<Fate> {
  try {
    const settled = await readQuestion(gateway, await gateway.find(run.id), question.id);
    return settled.status === 'pending' ? 'pending' : { settled };
  } catch (error) {
    const isDeleted = error instanceof Refusal && error.code === 'conversation_not_found';
    return isDeleted ? { settled: deleted(question) } : 'unknown';
  }
}

/** Its conversation was deleted in Temporal, so nobody can answer it any more. */
function deleted(question: Question): Question {
  return { ...question, status: 'cancelled', outcome: { at: new Date().toISOString(), via: 'temporal' } };
}

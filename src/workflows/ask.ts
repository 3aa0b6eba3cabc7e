import { condition } from '@temporalio/workflow';
import { clip } from '#core/json';
import { nextWake } from '#core/schedule';
import { expire } from '#core/settling';
import type { State } from '#core/state';
import { markOf } from './presence';
import { mustRollOver } from './roll-over';

/**
 * Park until something happened to the question, or is to be done about it. One wait, with one timer: what came of it is
 * read from the state, never from what `condition` returned, since a signal and the timer may arrive in one task.
 */
export async function park(state: State): Promise<void> {
  const mark = markOf(state);
  const moved = () => markOf(state) !== mark || mustRollOver(state);
  const wake = nextWake(state);
  if (!wake) return condition(moved);
  const left = wake.at - Date.now();
  if (left > 0) await condition(moved, left, { summary: summaryOf(state, wake.what) });
  if (state.question && !moved() && Date.now() >= Date.parse(state.question.expiresAt ?? ''))
    expire(state, Date.now());
}

/** As the Temporal UI shows the timer. */
function summaryOf(state: State, what: string): string {
  return `${what} of ${state.question?.id}: ${clip(state.question?.fields[0]?.question ?? '', 80)}`;
}

import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import { AFTERWARDS, bound, STATE_BYTES } from '#core/size';
import type { State } from '#core/state';
import { memoOf } from '#core/view';
import { keepsEntries } from './keeper';
import { attributesToStartWith } from './presence';

/** From which weight on a conversation of before 0.7 rolled over. */
const FORMER_BYTES = 1_500_000;

export function mustRollOver(state: State): boolean {
  if (workflowInfo().continueAsNewSuggested) return true;
  if (state.weight <= FORMER_BYTES) return false;
  return !keepsEntries() || state.weight > STATE_BYTES;
}

/** Go on in a new run with everything, parked or not. The memo is passed on: it would fall back to the one at the start. */
export async function rollOver(state: State): Promise<never> {
  const next = bound(state, AFTERWARDS);
  return makeContinueAsNewFunc<(state: State) => Promise<State>>({
    memo: { ...memoOf(next) },
    typedSearchAttributes: attributesToStartWith(next),
  })(next);
}

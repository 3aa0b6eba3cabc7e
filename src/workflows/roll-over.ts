import { makeContinueAsNewFunc, workflowInfo } from '@temporalio/workflow';
import { bound, STATE_BYTES } from '../core/size';
import type { State } from '../core/state';
import { memoOf } from '../core/view';
import { attributesToStartWith } from './presence';

/** Rolled over, the state is well below the bound, so that it does not roll over again at the next step. */
const AFTERWARDS = 0.6 * STATE_BYTES;

export function mustRollOver(state: State): boolean {
  return workflowInfo().continueAsNewSuggested || state.weight > STATE_BYTES;
}

/** Go on in a new run with everything, parked or not. The memo is passed on: it would fall back to the one at the start. */
export async function rollOver(state: State): Promise<never> {
  const next = bound(state, AFTERWARDS);
  return makeContinueAsNewFunc<(state: State) => Promise<State>>({
    memo: { ...memoOf(next) },
    typedSearchAttributes: attributesToStartWith(next),
  })(next);
}

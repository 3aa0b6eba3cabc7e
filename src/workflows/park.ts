import { condition } from '@temporalio/workflow';
import type { ConversationState } from '#core/conversation/state';
import { truncateText } from '#core/json';
import { expireQuestion } from '#core/questions/resolve';
import { nextWakeUp } from '#core/questions/schedule';
import { shouldContinueAsNew } from './continue-as-new';
import { changeMarker } from './visibility';

/**
 * Park until something happened to the question, or is to be done about it. One wait, with one timer: what came of it is
 * read from the state, never from what `condition` returned, since a signal and the timer may arrive in one task.
 */
export async function parkUntilChange(state: ConversationState): Promise<void> {
  const mark = changeMarker(state);
  const moved = () => changeMarker(state) !== mark || shouldContinueAsNew(state);
  const wake = nextWakeUp(state);
  if (!wake) return condition(moved);
  const left = wake.at - Date.now();
  if (left > 0) await condition(moved, left, { summary: timerSummary(state, wake.what) });
  if (state.question && !moved() && Date.now() >= Date.parse(state.question.expiresAt ?? ''))
    expireQuestion(state, Date.now());
}

/** As the Temporal UI shows the timer. */
function timerSummary(state: ConversationState, what: string): string {
  return `${what} of ${state.question?.id}: ${truncateText(state.question?.fields[0]?.question ?? '', 80)}`;
}

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
  const marker = changeMarker(state);
  const hasChanged = () => changeMarker(state) !== marker || shouldContinueAsNew(state);
  const wakeUp = nextWakeUp(state);
  if (!wakeUp) return condition(hasChanged);
  const remainingMs = wakeUp.at - Date.now();
  if (remainingMs > 0) await condition(hasChanged, remainingMs, { summary: timerSummary(state, wakeUp.what) });
  if (state.question && !hasChanged() && Date.now() >= Date.parse(state.question.expiresAt ?? ''))
    expireQuestion(state, Date.now());
}

/** As the Temporal UI shows the timer. */
function timerSummary(state: ConversationState, what: string): string {
  return `${what} of ${state.question?.id}: ${truncateText(state.question?.fields[0]?.question ?? '', 80)}`;
}

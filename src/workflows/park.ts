import { condition } from '@temporalio/workflow';
import type { ConversationState } from '#core/conversation/state';
import { truncateText } from '#core/json';
import { expireQuestion } from '#core/questions/resolve';
import { nextWakeUp } from '#core/questions/schedule';
import { changeMarker } from './visibility';

/**
 * Parks until the question changes, something is due, or `isOver`. One wait with one timer. Decides by the state, never by what
 * `condition` returned: a signal and the timer may arrive in one task.
 */
export async function parkUntilChange(state: ConversationState, isOver: () => boolean): Promise<void> {
  const marker = changeMarker(state);
  const hasChanged = () => changeMarker(state) !== marker || isOver();
  const wakeUp = nextWakeUp(state);
  if (!wakeUp) return condition(hasChanged);
  const remainingMs = wakeUp.at - Date.now();
  if (remainingMs > 0) await condition(hasChanged, remainingMs, { summary: timerSummary(state, wakeUp.what) });
  if (state.question && !hasChanged() && Date.now() >= Date.parse(state.question.expiresAt ?? ''))
    expireQuestion(state, Date.now());
}

/** The timer's label in the Temporal UI. */
function timerSummary(state: ConversationState, what: string): string {
  return `${what} of ${state.question?.id}: ${truncateText(state.question?.fields[0]?.question ?? '', 80)}`;
}

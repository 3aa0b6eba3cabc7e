import type { Conversation, ConversationStatus } from '#contract/conversation';
import { iso, type State, setStatus } from './state';
import { flush, flushResults, toolResult } from './transcript';

type Final = Extract<ConversationStatus, 'completed' | 'failed' | 'cancelled'>;

/** End here. Calls that never ran get a result that says so, so that the conversation can be taken up again. */
export function end(
  state: State,
  status: Final,
  how: { result?: string; error?: NonNullable<Conversation['error']> },
  now: number,
): void {
  const undone = state.turn.calls.map((call) =>
    toolResult(call.id, `Not finished: the conversation was ${status} first.`, true),
  );
  state.turn = { calls: [], results: [...state.turn.results, ...undone] };
  // What the user said before a cancel does not revive the conversation; what was said before a failure does.
  if (status === 'cancelled') flush(state);
  else flushResults(state);
  state.result = how.result ?? null;
  state.error = how.error ?? null;
  state.completedAt = iso(now);
  setStatus(state, status, now);
}

import type { Conversation } from '#contract/conversation';
import { safeLine } from './safe';

/** Temporal's word on how a workflow was ended from outside: nothing is left to take up. */
const ENDED_OUTSIDE = 'workflow_';

/** What one can do about a conversation that failed or was cancelled. */
export function goingOn({
  id,
  agent,
  parent,
  error,
}: Pick<Conversation, 'id' | 'agent' | 'parent' | 'error'>): string {
  if (parent)
    return safeLine(
      `It worked for ${parent.agent}. Write there instead: parley say ${parent.conversationId} "…"`,
    );
  if (error?.code.startsWith(ENDED_OUTSIDE))
    return safeLine(`It left nothing to go on from. Start a new one: parley start ${agent} "…"`);
  return safeLine(`A further message takes it up again: parley say ${id} "…"`);
}

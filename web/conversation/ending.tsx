import type { Conversation } from '#contract/conversation';
import { Trouble } from '../design/trouble';

/** Why it came to an end that nobody wished for. How it is taken up again, the box below says. */
export function Ending({ conversation: { error, status } }: { conversation: Conversation }) {
  if (!error) return null;
  return (
    <Trouble title={status === 'cancelled' ? 'This conversation was cancelled' : 'This conversation failed'}>
      {error.message}
    </Trouble>
  );
}

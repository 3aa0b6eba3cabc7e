import type { ConversationStatus } from '../../src/contract/conversation';

/** In the order in which they are worth a look. */
export const STATUS_WORDS: Record<ConversationStatus, string> = {
  waiting_for_input: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

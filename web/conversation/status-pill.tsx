import type { ConversationStatus } from '#contract/conversation';
import { STATUS_WORDS } from '#core/words';
import { Pill, type Tone } from '../design/pill';

const TONES: Record<ConversationStatus, Tone> = {
  waiting_for_input: 'warn',
  running: 'busy',
  completed: 'good',
  failed: 'danger',
  cancelled: 'plain',
};

export function StatusPill({ status }: { status: ConversationStatus }) {
  return <Pill tone={TONES[status]}>{STATUS_WORDS[status]}</Pill>;
}

import type { ConversationStatus } from '#contract/conversation';
import type { Style } from './style';

const TONES: Record<ConversationStatus, 'warn' | 'accent' | 'good' | 'bad' | 'dim'> = {
  waiting_for_input: 'warn',
  running: 'accent',
  completed: 'good',
  failed: 'bad',
  cancelled: 'dim',
};

export function toneOf(status: ConversationStatus, style: Style): (text: string) => string {
  return style[TONES[status]];
}

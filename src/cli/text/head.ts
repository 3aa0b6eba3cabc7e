import type { Conversation } from '#contract/conversation';
import { ago } from '#core/times';
import { STATUS_WORDS } from '#core/words';
import { safeLine } from './safe';
import type { Style } from './style';
import { toneOf } from './tones';
import { wrap } from './wrap';

/** Which conversation this is, and how it stands. */
export function headLines(conversation: Conversation, width: number, style: Style): string[] {
  const { id, title, agent, status, parent, createdAt } = conversation;
  const forWhom = parent ? ` for ${parent.agent} (${parent.conversationId})` : '';
  const facts = [`${agent}${forWhom}`, id, `started ${ago(createdAt, Date.now())}`].map(safeLine);
  return [
    ...wrap(style.bold(safeLine(title) || safeLine(id)), width),
    ...wrap(toneOf(status, style)(STATUS_WORDS[status]) + style.dim(` · ${facts.join(' · ')}`), width),
  ];
}

import type { ConversationStatus } from '#contract/conversation';
import type { Entry } from '#contract/entry';
import { placeText, STATUS_WORDS } from '#core/words';
import { askedLines, outcomeLines } from './asked';
import { markdownLines } from './markdown';
import { safe, safeLine } from './safe';
import type { Style } from './style';
import { planLines } from './todos';
import { toneOf } from './tones';
import { keptOf, toolLine } from './tool-line';
import { wrap } from './wrap';

/** What happened, in order, with room between what does not belong together. */
export function storyLines(
  entries: readonly Entry[],
  width: number,
  style: Style,
  addressOf?: (handle: string) => string,
): string[] {
  const lines: string[] = [];
  let before: Entry['kind'] | undefined;
  for (const entry of entries) {
    const own = entryLines(entry, width, style);
    if (own.length === 0) continue;
    const kept = addressOf && entry.kind === 'tool' ? keptOf(entry) : undefined;
    if (kept) own.push(style.dim(`  All of it: ${safeLine(addressOf?.(kept.handle) ?? '')}`));
    const isTogether = entry.kind === before && (before === 'tool' || before === 'notice');
    if (before && !isTogether) lines.push('');
    lines.push(...own);
    before = entry.kind;
  }
  return lines;
}

/** One thing that happened in a conversation, for a person to read. */
export function entryLines(entry: Entry, width: number, style: Style): string[] {
  switch (entry.kind) {
    case 'message':
      return entry.role === 'user'
        ? userLines(entry.text, width, style)
        : markdownLines(entry.text, width, style);
    case 'tool':
      return [toolLine(entry, width, style)];
    case 'todos':
      return planLines(entry.todos, width, style);
    case 'question': {
      const { question } = entry;
      return [...askedLines(question, width, style), ...outcomeLines(question, width, style)];
    }
    case 'notice':
      return wrap(style.dim(noticeText(entry.channel, entry.what)), width);
    case 'status':
      return isOver(entry.status) ? [toneOf(entry.status, style)(STATUS_WORDS[entry.status])] : [];
  }
}

/** What a person wrote is shown as it was typed. */
export function userLines(text: string, width: number, style: Style): string[] {
  return wrap(safe(text).trimEnd(), width, { first: `${style.accent('›')} ` });
}

/** That it runs or waits is to be seen from what it does. */
export function isOver(status: ConversationStatus): boolean {
  return status !== 'running' && status !== 'waiting_for_input';
}

const OF_QUESTION = /^question-\d+: /;

function noticeText(channel: string, what: string): string {
  return safeLine(channel === 'delegate' ? what : `${placeText(channel)}: ${what.replace(OF_QUESTION, '')}`);
}

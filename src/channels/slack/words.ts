import type { PlainTextElement, SectionBlock } from '@slack/types';
import type { Question } from '#contract/question';
import { wellFormed } from '#core/json';
import { outcomeText } from '#core/words';

/** In Slack's markup these three begin whatever mentions somebody or leads somewhere. */
export function escaped(text: string): string {
  return wellFormed(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export interface Fitted {
  text: string;
  isCut: boolean;
}

/** Made harmless, and short enough as it is counted by Slack. */
export function fitted(raw: string, most: number): Fitted {
  const whole = escaped(raw);
  if (whole.length <= most) return { text: whole, isCut: false };
  const kept = whole
    .slice(0, most - 1)
    .replace(/&[a-z]{0,3}$/, '')
    .replace(/[\uD800-\uDBFF]$/, '');
  return { text: `${kept}…`, isCut: true };
}

/** Shortened text that Slack shows as it is: nothing in it is markup. */
export function shortened(raw: string, most: number): string {
  const whole = wellFormed(raw).replace(/\s+/g, ' ').trim();
  if (whole.length <= most) return whole;
  return `${whole.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function plain(raw: string, most: number): PlainTextElement {
  return { type: 'plain_text', text: shortened(raw, most) || '…' };
}

/** `text` has to be escaped by now. Verbatim: Slack looks for no names and addresses in it. */
export function section(text: string): SectionBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

export function note(text: string) {
  return {
    type: 'context' as const,
    elements: [{ type: 'mrkdwn' as const, text, verbatim: true }],
  };
}

/** Shown in the reader's own time zone. */
export function moment(at: string): string {
  const seconds = Math.floor(Date.parse(at) / 1_000);
  const fallback = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${seconds}^{date_short_pretty} at {time}|${fallback}>`;
}

/** A link of our own: its address holds nothing that a person or a model wrote. */
export function link(url: string, text: string): string {
  return `<${url.replace(/[<>|\s]/g, encodeURIComponent)}|${text}>`;
}

const LONGEST = 600;

/** "Answered by maria in the web app · 16 Nov at 9:30" */
export function settledWords(question: Pick<Question, 'status' | 'outcome'>): string {
  const { outcome } = question;
  return `${fitted(outcomeText(question), LONGEST).text}${outcome ? ` · ${moment(outcome.at)}` : ''}`;
}

/** What a person typed, from how Slack hands it over. */
export function typedText(text: string): string {
  return text
    .replace(/<([^<>|]*)(?:\|([^<>]*))?>/g, (_whole, target: string, label?: string) =>
      label !== undefined && !/^(https?|mailto|tel):/.test(target)
        ? `${/^[#@]/.test(target) ? target.charAt(0) : ''}${label}`
        : target.replace(/^(mailto|tel):/, ''),
    )
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

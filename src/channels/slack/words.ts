import type { PlainTextElement, SectionBlock } from '@slack/types';
import type { Outcome, Question } from '../../contract/question';
import { wellFormed } from '../../core/json';

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

const WAYS: Record<string, string> = {
  web: ' in the web app',
  terminal: ' in the terminal',
  http: ' over the API',
  slack: ' in Slack',
  email: ' by email',
  link: ' by a link',
  temporal: ' in Temporal',
};

/** "Answered by maria in the web app · 16 Nov at 9:30" */
export function settledWords({ status, outcome }: Pick<Question, 'status' | 'outcome'>): string {
  const at = outcome ? ` · ${moment(outcome.at)}` : '';
  switch (status) {
    case 'answered':
      return `Answered${byWords(outcome)}${at}`;
    case 'declined':
      return `Declined${byWords(outcome)}${at}`;
    case 'timed_out':
      return outcome?.defaulted
        ? `Nobody answered in time, so the defaults were taken${at}`
        : `Nobody answered in time${at}`;
    default:
      return `Cancelled${byWords(outcome)}${at}`;
  }
}

function byWords(outcome: Outcome | null): string {
  const { by, via = '' } = outcome ?? {};
  return `${by ? ` by ${fitted(by, 200).text}` : ''}${WAYS[via] ?? ''}`;
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

import type { PlainTextElement, SectionBlock } from '@slack/types';
import type { Question } from '#contract/question';
import { toWellFormed } from '#core/json';
import { describeOutcome } from '#presentation/labels';

/** Escapes the three characters that start mentions and links in Slack's markup. */
export function escapeMrkdwn(text: string): string {
  return toWellFormed(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export interface TruncatedText {
  text: string;
  isTruncated: boolean;
}

/** Escapes markup, then truncates to what Slack counts as `maxLength` characters. */
export function escapeAndTruncate(raw: string, maxLength: number): TruncatedText {
  const escaped = escapeMrkdwn(raw);
  if (escaped.length <= maxLength) return { text: escaped, isTruncated: false };
  const head = escaped
    .slice(0, maxLength - 1)
    .replace(/&[a-z]{0,3}$/, '')
    .replace(/[\uD800-\uDBFF]$/, '');
  return { text: `${head}…`, isTruncated: true };
}

/** Truncates text for a plain-text element, in which nothing is markup. */
export function truncatePlainText(raw: string, maxLength: number): string {
  const cleaned = toWellFormed(raw).replace(/\s+/g, ' ').trim();
  if (cleaned.length <= maxLength) return cleaned;
  return `${cleaned.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

export function createPlainText(raw: string, maxLength: number): PlainTextElement {
  return { type: 'plain_text', text: truncatePlainText(raw, maxLength) || '…' };
}

/**
 * Creates a section. `text` must be escaped already. Verbatim, so that Slack does not link names and addresses in it.
 */
export function createSection(text: string): SectionBlock {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

export function createContextNote(text: string) {
  return {
    type: 'context' as const,
    elements: [{ type: 'mrkdwn' as const, text, verbatim: true }],
  };
}

/** Formats a time that Slack shows in the reader's time zone. */
export function formatSlackTime(time: string): string {
  const seconds = Math.floor(Date.parse(time) / 1_000);
  const fallback = `${time.slice(0, 16).replace('T', ' ')} UTC`;
  return `<!date^${seconds}^{date_short_pretty} at {time}|${fallback}>`;
}

/** Formats a link to Parley. The URL holds nothing that a person or a model wrote. */
export function formatSlackLink(url: string, text: string): string {
  return `<${url.replace(/[<>|\s]/g, encodeURIComponent)}|${text}>`;
}

const MAX_OUTCOME_LENGTH = 600;

/** Formats an outcome, as in "Answered by maria in the web app · 16 Nov at 9:30". */
export function formatSlackOutcome(question: Pick<Question, 'status' | 'outcome'>): string {
  const { outcome } = question;
  return `${escapeAndTruncate(describeOutcome(question), MAX_OUTCOME_LENGTH).text}${outcome ? ` · ${formatSlackTime(outcome.at)}` : ''}`;
}

/** Restores what a person typed from Slack's encoding. */
export function decodeTypedText(text: string): string {
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

const CODE_FENCE = /^\s*```/;
/** Closes a code block. */
const CLOSING_FENCE = '\n```';

/** Converts a few lines of Markdown to Slack's markup. Nothing in them links or mentions: URLs are shown as text. */
export function markdownToMrkdwn(markdown: string, maxLength: number): TruncatedText {
  const { text, isTruncated } = escapeAndTruncate(markdown, maxLength - CLOSING_FENCE.length);
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    if (CODE_FENCE.test(line)) {
      isCode = !isCode;
      return '```';
    }
    return isCode ? line : convertLine(line);
  });
  return { text: `${lines.join('\n')}${isCode ? CLOSING_FENCE : ''}`, isTruncated };
}

function convertLine(line: string): string {
  return line
    .replace(/^#{1,6}\s+(.+?)\s*#*$/, (_whole, title: string) => `*${title.replaceAll('*', '')}*`)
    .replace(/^(\s*)[-*+]\s+/, '$1• ')
    .replace(/\*\*([^*\n]+)\*\*/g, '*$1*')
    .replace(/!?\[([^\]\n]*)\]\(([^)\s]*)\)/g, '$1 ($2)');
}

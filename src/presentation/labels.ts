import type { Conversation, ConversationStatus } from '#contract/conversation';
import type { AnswerValue, Question, QuestionField } from '#contract/question';

/** In the order in which they are worth a look. */
export const STATUS_LABELS: Record<ConversationStatus, string> = {
  waiting_for_input: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Of what a list leaves out. */
export function describeUnreadable(count: number): string {
  const sentence = count === 1 ? 'One more cannot be read' : `${count} more cannot be read`;
  return `${sentence} here: the key is missing from PARLEY_ENCRYPTION_KEYS.`;
}

/** Of a list that may be old: what was answered still stands in it, and what was started does not yet. */
export const NO_WORKER_MESSAGE =
  'No worker is running: answers and new conversations are kept, and acted on when one starts.';

/** A value as people write it. */
export function formatAnswerValue(value: AnswerValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(formatAnswerValue).join(', ');
  return typeof value === 'object' ? value.other : String(value);
}

/** What people read for a channel. */
export interface ChannelLabel {
  /** How an answer came by it, as in `in Slack`. Absent if no answers come by it. */
  answer?: string;
  /** Before the target of a notification, as in `Slack #ops`. */
  destination: string;
  /** In the list of ways to reach people. Absent if it is not listed there. */
  status?: string;
}

/** The channels that ship with Parley: the web app and the CLI have no other knowledge of channels. */
export const CHANNEL_LABELS = {
  inbox: { destination: 'Inbox' },
  log: { destination: 'Log' },
  slack: { answer: 'in Slack', destination: 'Slack', status: 'Slack' },
  email: { answer: 'by e-mail', destination: 'E-mail to', status: 'e-mail' },
  webhook: { destination: 'Webhook', status: 'webhooks' },
} satisfies Record<string, ChannelLabel>;

const channelLabels = new Map<string, ChannelLabel>(Object.entries(CHANNEL_LABELS));

/** Adds the labels of the channels of this process, so that texts about answers and notifications use them. */
export function addChannelLabels(channels: readonly { name: string; label: ChannelLabel }[]): void {
  for (const { name, label } of channels) channelLabels.set(name, label);
}

/** The ways to answer that are not channels. */
const ANSWER_PHRASES: Record<string, string> = {
  web: 'in the web app',
  http: 'over HTTP',
  terminal: 'in the terminal',
  temporal: 'from Temporal',
  link: 'by a link',
};

export function describeChannel(via: string | undefined): string {
  return via === undefined ? '' : (ANSWER_PHRASES[via] ?? channelLabels.get(via)?.answer ?? `by ${via}`);
}

/** Where a notice went: `slack:#ops` is `Slack #ops`. */
export function describeDestination(destination: string): string {
  const [channel = '', ...target] = destination.split(':');
  return [channelLabels.get(channel)?.destination ?? channel, target.join(':')].filter(Boolean).join(' ');
}

/** How it ended, in one sentence: who and by what way. When is for the clock to tell. */
export function describeOutcome({ status, outcome }: Pick<Question, 'status' | 'outcome'>): string {
  const by = outcome?.by ? ` by ${outcome.by}` : '';
  const channel = describeChannel(outcome?.via);
  const details = [by, channel && ` ${channel}`].join('');
  switch (status) {
    case 'answered':
      return `Answered${details}`;
    case 'declined':
      return `Declined${details}`;
    case 'timed_out':
      return outcome?.defaulted ? 'Nobody answered in time: the default was taken' : 'Nobody answered in time';
    case 'cancelled':
      return `No longer needed: the conversation was ended${by}`;
    case 'pending':
      return 'Waiting for an answer';
  }
}

/** What the question comes down to, on one line. */
export function questionSummaryLine({ fields }: { fields: readonly Pick<QuestionField, 'question'>[] }): string {
  const [first, ...otherFields] = fields;
  return (first?.question ?? 'A question') + (otherFields.length > 0 ? ` (and ${otherFields.length} more)` : '');
}

/** Text with a capital first letter and a full stop. */
export function toSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** From whom: the agent, and for whom it works. */
export function formatOrigin(origin: readonly string[]): string {
  return origin.join(' › ');
}

const TIMEOUT_PHRASES: Record<Question['onTimeout'], string> = {
  continue: 'After that the agent goes on without an answer.',
  default: 'After that the default is taken.',
  fail: 'After that the conversation fails.',
  wait: '',
};

/** What happens where nobody answers in time; nothing where it waits for ever. */
export function describeTimeoutPolicy({ onTimeout }: Pick<Question, 'onTimeout'>): string {
  return TIMEOUT_PHRASES[onTimeout];
}

export interface ConversationSummary {
  kind: 'question' | 'result' | 'failure' | 'cancel';
  text: string;
}

const MAX_SUMMARY_LINE_LENGTH = 300;

type Summarizable = Pick<Conversation, 'status' | 'question' | 'error' | 'result'>;

/** What there is to know of a conversation on one line: what it asks, why it ended, or what came of it. */
export function summarizeConversation({
  status,
  question,
  error,
  result,
}: Summarizable): ConversationSummary | undefined {
  if (question) return createConversationSummary('question', questionSummaryLine(question));
  if (error) return createConversationSummary(status === 'cancelled' ? 'cancel' : 'failure', error.message);
  return result === null ? undefined : createConversationSummary('result', markdownToLine(result));
}

function createConversationSummary(kind: ConversationSummary['kind'], text: string): ConversationSummary | undefined {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : { kind, text: line.slice(0, MAX_SUMMARY_LINE_LENGTH) };
}

const MARKDOWN_HEADING = /^ {0,3}#{1,6} .*$/gm;

/** Markdown as words on one line. Headings mostly repeat what is above: they go, unless there is nothing else. */
export function markdownToLine(markdown: string): string {
  return stripMarkdown(markdown.replace(MARKDOWN_HEADING, '')) || stripMarkdown(markdown);
}

function stripMarkdown(markdown: string): string {
  return markdown
    .replace(/^\s*(?:#{1,6}|[-*+>]|\d{1,3}[.)]) /gm, '')
    .replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, '$1')
    .replace(/\*\*|__|~~|`+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

import type { Conversation, ConversationStatus, TokenUsage } from '#contract/conversation';
import type { PartialMessage } from '#contract/events';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { formatUsd } from '#core/conversation/usage';
import { isJsonObject } from '#core/json';

/** Most urgent first. */
export const STATUS_LABELS: Record<ConversationStatus, string> = {
  waiting_for_input: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** What a conversation used, in parts: 1 model call, 11,747 tokens (38% cached), $0.023. */
export function describeUsage({ modelCalls, inputTokens, outputTokens, cachedTokens, cost }: TokenUsage): string[] {
  const share = inputTokens > 0 ? Math.round((100 * cachedTokens) / inputTokens) : 0;
  return [
    `${modelCalls.toLocaleString('en')} model call${modelCalls === 1 ? '' : 's'}`,
    `${(inputTokens + outputTokens).toLocaleString('en')} tokens${share > 0 ? ` (${share}% cached)` : ''}`,
    ...(cost === undefined ? [] : [formatUsd(cost)]),
  ];
}

/** Describes how many items a list omits because they cannot be decrypted. */
export function describeUnreadable(count: number, item = 'question'): string {
  return `${count} ${item}${count === 1 ? '' : 's'} can't be decrypted (key missing from PARLEY_ENCRYPTION_KEYS).`;
}

/** Shown with a list that may be out of date: answered questions may still be in it, and new conversations not yet. */
export const NO_WORKER_MESSAGE = 'No worker is running. Answers are saved and will be processed when one starts.';

/** Formats an answer for people. */
export function formatAnswerValue(value: AnswerValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(formatAnswerValue).join(', ');
  return typeof value === 'object' ? value.other : String(value);
}

const channelLabels = new Map<string, string>();

/** Adds labels of channels. Until a channel's label is known, its name stands in: `slack` becomes `Slack`. */
export function addChannelLabels(labels: Readonly<Record<string, string>>): void {
  for (const [name, label] of Object.entries(labels)) channelLabels.set(name, label);
}

function labelOfChannel(name: string): string {
  return channelLabels.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);
}

/** Ways to answer that are not channels. */
const ANSWER_PHRASES: Record<string, string> = {
  web: 'on the web',
  http: 'over HTTP',
  terminal: 'in the terminal',
  temporal: 'via Temporal',
  link: 'via link',
};

export function describeChannel(via: string | undefined): string {
  return via === undefined ? '' : (ANSWER_PHRASES[via] ?? `via ${labelOfChannel(via)}`);
}

/** Describes where a notification went: `slack:#ops` becomes `Slack #ops`. */
export function describeDestination(destination: string): string {
  const [channel = '', ...target] = destination.split(':');
  return [labelOfChannel(channel), target.join(':')].filter(Boolean).join(' ');
}

const QUESTION_PREFIX = /^question-\d+: /;

type NoticeText = Omit<Extract<TimelineEntry, { kind: 'notice' }>, 'id' | 'at' | 'kind'>;

/** Describes a notice without the id of its question, which is shown beside it. */
export function describeNotice({ channel, what, ...actor }: NoticeText): string {
  if (channel === 'delegate' || channel === 'model') return what;
  const text = what.replace(QUESTION_PREFIX, '');
  if (channel === 'link') return `Answer ${text}${describeActor(actor)}`;
  return text === 'asked' ? `Notified: ${describeDestination(channel)}` : `${describeDestination(channel)}: ${text}`;
}

/** Returns the sub-agent that a call of `delegate` names. */
export function findDelegate(tool: string, input: unknown): string | undefined {
  return tool === 'delegate' && isJsonObject(input) && typeof input.agent === 'string' ? input.agent : undefined;
}

/** Returns ` by maria via Slack`, to follow what was done; empty if neither is known. */
export function describeActor({ by, via }: { by?: string; via?: string }): string {
  const channel = describeChannel(via);
  return [by && ` by ${by}`, channel && ` ${channel}`].filter(Boolean).join('');
}

/** Describes the outcome in one sentence: who answered and how. Callers add the time. */
export function describeOutcome({ status, outcome }: Pick<Question, 'status' | 'outcome'>): string {
  const by = outcome?.by ? ` by ${outcome.by}` : '';
  const details = describeActor(outcome ?? {});
  switch (status) {
    case 'answered':
      return `Answered${details}`;
    case 'declined':
      return `Skipped${details}`;
    case 'timed_out':
      return outcome?.defaulted ? 'No answer in time; default used' : 'No answer in time';
    case 'cancelled':
      // Temporal may have ended the run for any reason.
      return `Closed: conversation ${outcome?.via === 'temporal' ? 'ended' : 'cancelled'}${by}`;
    case 'pending':
      return 'Waiting for an answer';
  }
}

/** Returns the first question on one line, and how many more there are. */
export function questionSummaryLine({ fields }: { fields: readonly Pick<QuestionField, 'question'>[] }): string {
  const [first, ...otherFields] = fields;
  return (first?.question ?? 'A question') + (otherFields.length > 0 ? ` (and ${otherFields.length} more)` : '');
}

/** Text with a capital first letter and a full stop. */
export function toSentence(text: string): string {
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Formats who asks: the chain of agents that delegated, then the agent itself. */
export function formatOrigin(origin: readonly string[]): string {
  return origin.join(' › ');
}

/** Describes what happens if no answer comes in time; empty if the question stays open. */
export function describeTimeoutPolicy({ onTimeout, fields }: Pick<Question, 'onTimeout'> & Partial<Question>): string {
  switch (onTimeout) {
    case 'continue':
      return 'After that, the agent continues without an answer.';
    case 'default':
      return `After that, the agent uses ${describeDefault(fields)}.`;
    case 'fail':
      return 'After that, the conversation fails.';
    case 'wait':
      return '';
  }
}

const MAX_QUOTED_DEFAULT_LENGTH = 60;

/** Quotes the default answer of a single field if it is short. */
function describeDefault([field, ...otherFields]: Question['fields'] = []): string {
  if (otherFields.length > 0) return 'the defaults';
  const text = formatAnswerValue(field?.default);
  return text === '' || text.length > MAX_QUOTED_DEFAULT_LENGTH ? 'the default' : `“${text}”`;
}

export interface ConversationSummary {
  kind: 'question' | 'result' | 'failure' | 'cancel';
  text: string;
}

const MAX_SUMMARY_LINE_LENGTH = 300;

type Summarizable = Pick<Conversation, 'status' | 'question' | 'error' | 'result'>;

/** Summarizes a conversation on one line: what it asks, why it ended, or its result. */
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

/**
 * Turns Markdown into one line of plain text. Headings mostly repeat what is shown above, so they are dropped unless
 * there is nothing else.
 */
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

/** What people read while a failed model call waits for its next attempt. */
export function formatModelRetry({ at, reason }: NonNullable<PartialMessage['retry']>): string {
  const time = new Date(at).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  const problem = reason === 'model_overloaded' ? 'The model is overloaded' : "The model can't be reached";
  return `${problem}; next attempt at ${time}`;
}

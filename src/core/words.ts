import type { ConversationStatus } from '#contract/conversation';
import type { Field, Question, Value } from '#contract/question';

/** In the order in which they are worth a look. */
export const STATUS_WORDS: Record<ConversationStatus, string> = {
  waiting_for_input: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** Of what a list leaves out. */
export function unreadableText(count: number): string {
  const many = count === 1 ? 'One more cannot be read' : `${count} more cannot be read`;
  return `${many} here: the key is missing from PARLEY_ENCRYPTION_KEYS.`;
}

/** Of a list that may be old: what was answered still stands in it, and what was started does not yet. */
export const NO_WORKER =
  'No worker is running: answers and new conversations are kept, and acted on when one starts.';

/** A value as people write it. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(valueText).join(', ');
  return typeof value === 'object' ? value.other : String(value);
}

const CHANNELS: Record<string, string> = {
  web: 'in the web app',
  http: 'over HTTP',
  terminal: 'in the terminal',
  temporal: 'from Temporal',
  slack: 'in Slack',
  email: 'by e-mail',
  link: 'by a link',
};

export function channelText(via: string | undefined): string {
  return via === undefined ? '' : (CHANNELS[via] ?? `by ${via}`);
}

const PLACES: Record<string, string> = {
  inbox: 'Inbox',
  log: 'Log',
  webhook: 'Webhook',
  slack: 'Slack',
  email: 'E-mail to',
};

/** Where a notice went: `slack:#ops` is `Slack #ops`. */
export function placeText(destination: string): string {
  const [channel = '', ...place] = destination.split(':');
  return [PLACES[channel] ?? channel, place.join(':')].filter(Boolean).join(' ');
}

/** How it ended, in one sentence: who and by what way. When is for the clock to tell. */
export function outcomeText({ status, outcome }: Pick<Question, 'status' | 'outcome'>): string {
  const by = outcome?.by ? ` by ${outcome.by}` : '';
  const way = channelText(outcome?.via);
  const how = [by, way && ` ${way}`].join('');
  switch (status) {
    case 'answered':
      return `Answered${how}`;
    case 'declined':
      return `Declined${how}`;
    case 'timed_out':
      return outcome?.defaulted
        ? 'Nobody answered in time: the default was taken'
        : 'Nobody answered in time';
    case 'cancelled':
      return `No longer needed: the conversation was ended${by}`;
    case 'pending':
      return 'Waiting for an answer';
  }
}

/** What the question comes down to, on one line. */
export function headline({ fields }: { fields: readonly Pick<Field, 'question'>[] }): string {
  const [first, ...more] = fields;
  return (first?.question ?? 'A question') + (more.length > 0 ? ` (and ${more.length} more)` : '');
}

/** From whom: the agent, and for whom it works. */
export function lineageText(origin: readonly string[]): string {
  return origin.join(' › ');
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In the largest unit that says enough: 40 seconds, 90 minutes, 3 days. */
export function span(ms: number): string {
  const [unit, name]: [number, string] =
    ms < 2 * MINUTE
      ? [SECOND, 'second']
      : ms < 2 * HOUR
        ? [MINUTE, 'minute']
        : ms < 2 * DAY
          ? [HOUR, 'hour']
          : [DAY, 'day'];
  const count = Math.max(1, Math.round(ms / unit));
  return `${count.toLocaleString('en')} ${name}${count === 1 ? '' : 's'}`;
}

const MOMENT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Nobody can know here where the reader is. */
export function moment(time: string): string {
  return `${MOMENT.format(new Date(time))} UTC`;
}

const AFTERWARDS: Record<Question['onTimeout'], string> = {
  continue: 'After that the agent goes on without an answer.',
  default: 'After that the default is taken.',
  fail: 'After that the conversation fails.',
  wait: '',
};

/** What happens where nobody answers in time; nothing where it waits for ever. */
export function afterwards({ onTimeout }: Pick<Question, 'onTimeout'>): string {
  return AFTERWARDS[onTimeout];
}

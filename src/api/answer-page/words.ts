import type { Field, Question, Value } from '../../contract/question';
import { NO, YES } from './filling';

/** A value as people write it. */
export function valueText(value: Value | undefined): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? YES : NO;
  if (Array.isArray(value)) return value.length === 0 ? 'None' : value.map(valueText).join(', ');
  return typeof value === 'object' ? value.other : String(value);
}

const WAYS: Record<string, string> = {
  web: ' in the web app',
  http: ' over HTTP',
  terminal: ' in the terminal',
  temporal: ' from Temporal',
  slack: ' in Slack',
  email: ' by e-mail',
  link: ' by a link',
};

/** How it ended, in a few words: who, and by what way. */
export function outcomeText({ status, outcome }: Question): string {
  const by = outcome?.by ? ` by ${outcome.by}` : '';
  const how = `${by}${WAYS[outcome?.via ?? ''] ?? ''}`;
  switch (status) {
    case 'answered':
      return `Answered${how}`;
    case 'declined':
      return `Declined${how}`;
    case 'timed_out':
      return outcome?.defaulted
        ? 'Nobody answered in time, so the default was taken'
        : 'Nobody answered in time';
    case 'cancelled':
      return `No longer needed: the conversation was ended${by}`;
    case 'pending':
      return 'Waiting for an answer';
  }
}

/** The label that the agent gave a field; one that only counts says nothing. */
export function headerOf({ header }: Field): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
}

export function headline({ fields: [first, ...more] }: Question): string {
  return (first?.question ?? 'A question') + (more.length > 0 ? ` (and ${more.length} more)` : '');
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

/** The page cannot know where the reader is. */
export function moment(time: string): string {
  return `${MOMENT.format(new Date(time))} UTC`;
}

const AFTERWARDS: Record<Question['onTimeout'], string> = {
  continue: 'After that the agent goes on without an answer.',
  default: 'After that the default is taken.',
  fail: 'After that the conversation fails.',
  wait: '',
};

export function afterwards({ onTimeout }: Question): string {
  return AFTERWARDS[onTimeout];
}

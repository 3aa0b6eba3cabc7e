import type { Field, Question } from '../../contract/question';

/** The label that the agent gave a field; one that only counts says nothing. */
export function headerOf({ header }: Field): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
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

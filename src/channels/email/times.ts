import type { OnTimeout, Question } from '../../contract/question';

const WORDS = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** `Friday 20 November 2026 at 09:30 UTC`. */
export function inUtc(time: string): string {
  return `${WORDS.format(new Date(time))
    .replace(/,? at /, ' at ')
    .replaceAll(',', '')} UTC`;
}

const UNITS: [ms: number, name: string][] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
];

/** `3 days`, `36 hours`: in the largest unit that says enough. */
function lasting(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= 1.5 * unit) ?? [60_000, 'minute'];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const AFTERWARDS: Record<OnTimeout, string> = {
  continue: 'After that the agent goes on without an answer.',
  default: 'After that the default is taken.',
  fail: 'After that the work is given up.',
  wait: 'It waits until somebody answers.',
};

/** Until when, in words, and what happens then. */
export function deadlineOf({ expiresAt, onTimeout }: Question, now: number): string {
  if (!expiresAt) return AFTERWARDS.wait;
  const left = Date.parse(expiresAt) - now;
  const soon = left > 0 ? `, about ${lasting(left)} after this was sent` : '';
  return `Please answer by ${inUtc(expiresAt)}${soon}. ${AFTERWARDS[onTimeout]}`;
}

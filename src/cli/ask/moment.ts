import { asLocal } from '#core/filling';
import { checkAgainst } from '#core/value-schema';

const LOCAL = /^(\d{4}-\d\d-\d\d)[ T]+(\d{1,2}):(\d\d)(:\d\d)?$/;
const ZONED = /(?:[zZ]|[+-]\d\d:\d\d)$/;

/** A moment as people here write it. */
export function asWritten(moment: string): string {
  return asLocal(moment).replace('T', ' ');
}

/** What was written, as the form of the web app would hold it. */
export function momentIn(written: string): string {
  const text = written.trim();
  const [, date, hours = '', minutes, seconds = ''] = LOCAL.exec(text) ?? [];
  return date ? `${date}T${hours.padStart(2, '0')}:${minutes}${seconds}` : text;
}

/** `Date` would make a moment of nearly anything, and roll the 30th of February over. */
export function momentFault(written: string): string | undefined {
  const text = momentIn(written);
  if (text === '') return undefined;
  const whole = ZONED.test(text) ? text : `${text.length === 16 ? `${text}:00` : text}Z`;
  return checkAgainst({ type: 'string', format: 'date-time' }, whole)
    ? 'Write a date and a time, such as 2026-11-16 09:30.'
    : undefined;
}

/** Whose time it is. */
export function zone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

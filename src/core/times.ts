const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** As short as it can be said: 40 s, 12 min, 3 h, 2 d. */
export function span(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / SECOND))} s`;
  if (ms < 99 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 36 * HOUR) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY).toLocaleString('en')} d`;
}

const JUST_NOW_MS = 10 * SECOND;

export function ago(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms < JUST_NOW_MS ? 'just now' : `${span(ms)} ago`;
}

/** "in 3 h", or that it has passed. */
export function until(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${span(ms)}`;
}

/** In the reader's own time and way of writing it. */
export function moment(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats a duration as short as possible: 40 s, 12 min, 3 h, 2 d. */
export function formatShortDuration(ms: number): string {
  if (ms < MINUTE) return `${Math.max(1, Math.round(ms / SECOND))} s`;
  if (ms < 99 * MINUTE) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 36 * HOUR) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY).toLocaleString('en')} d`;
}

const JUST_NOW_MS = 10 * SECOND;

export function formatTimeAgo(time: string, now: number): string {
  const ms = now - Date.parse(time);
  return ms < JUST_NOW_MS ? 'just now' : `${formatShortDuration(ms)} ago`;
}

/** Returns "in 3 h", or "now" if the time has passed. */
export function formatTimeUntil(time: string, now: number): string {
  const ms = Date.parse(time) - now;
  return ms <= 0 ? 'now' : `in ${formatShortDuration(ms)}`;
}

/** Formats a time in the reader's time zone and locale. */
export function formatLocalTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Formats a duration in words, in the largest suitable unit: 40 seconds, 90 minutes, 3 days. */
export function formatDuration(ms: number): string {
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

const UTC_TIME_FORMAT = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Formats a time in UTC, for readers whose time zone is unknown. */
export function formatUtcTime(time: string): string {
  return `${UTC_TIME_FORMAT.format(new Date(time))} UTC`;
}

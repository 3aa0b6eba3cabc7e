import { z } from 'zod';

/** RFC 3339, in UTC. */
export const Timestamp = z.string().meta({ format: 'date-time', examples: ['2026-11-16T09:30:00.000Z'] });

const MS_PER_UNIT = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const MAX_DURATION_MS = 3650 * MS_PER_UNIT.d;

function parseMilliseconds(text: string): number | undefined {
  const parts = /^(\d{1,12})([smhd])$/.exec(text);
  const unit = parts?.[2] as keyof typeof MS_PER_UNIT | undefined;
  return unit && Number(parts?.[1]) * MS_PER_UNIT[unit];
}

function isDuration(text: string): boolean {
  if (text === 'never') return true;
  const ms = parseMilliseconds(text);
  return ms !== undefined && ms >= 1_000 && ms <= MAX_DURATION_MS;
}

/** Requires text: a bare number such as `90` could mean seconds or minutes. */
function durationText(examples: string) {
  return z.string(`must be a duration as text: ${examples}`);
}

/** A duration as text; parsed to milliseconds, `null` for `never`. */
export const Duration = durationText('90s, 15m, 4h, 3d or never')
  .refine(isDuration, 'must be a duration from 1s to 10 years: 90s, 15m, 4h, 3d or never')
  .transform((text) => parseMilliseconds(text) ?? null)
  .meta({ description: 'A duration: 90s, 15m, 4h, 3d or never.', pattern: '^(\\d{1,12}[smhd]|never)$' });

/** A finite duration; parsed to milliseconds. */
export const FiniteDuration = durationText('90s, 15m, 4h or 3d')
  .refine((text) => text !== 'never' && isDuration(text), 'must be a duration from 1s to 10 years: 90s, 15m, 4h or 3d')
  .transform((text) => parseMilliseconds(text) ?? 0)
  .meta({ description: 'A duration: 90s, 15m, 4h or 3d.', pattern: '^\\d{1,12}[smhd]$' });

/** Formats a duration in the largest unit that divides it. */
export function serializeDuration(ms: number | null): string {
  if (ms === null) return 'never';
  const unit = (['d', 'h', 'm'] as const).find((name) => ms % MS_PER_UNIT[name] === 0) ?? 's';
  return `${Math.round(ms / MS_PER_UNIT[unit])}${unit}`;
}

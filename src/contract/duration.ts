import { z } from 'zod';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST = 3650 * UNITS.d;

function milliseconds(text: string): number | undefined {
  const parts = /^(\d{1,12})([smhd])$/.exec(text);
  const unit = parts?.[2] as keyof typeof UNITS | undefined;
  return unit && Number(parts?.[1]) * UNITS[unit];
}

function isDuration(text: string): boolean {
  if (text === 'never') return true;
  const ms = milliseconds(text);
  return ms !== undefined && ms >= 1_000 && ms <= LONGEST;
}

/** `90` could be seconds or minutes, so a bare number is nothing. */
function asText(how: string) {
  return z.string(`write a duration as text: ${how}`);
}

/** A duration as people write it; parsed to milliseconds, `null` for `never`. */
export const Duration = asText('90s, 15m, 4h, 3d or never')
  .refine(isDuration, 'write a duration as 90s, 15m, 4h, 3d or never: at least 1s and at most 10 years')
  .transform((text) => milliseconds(text) ?? null)
  .meta({ description: 'A duration: 90s, 15m, 4h, 3d or never.', pattern: '^(\\d{1,12}[smhd]|never)$' });

/** A duration that ends; parsed to milliseconds. */
export const Period = asText('90s, 15m, 4h or 3d')
  .refine(
    (text) => text !== 'never' && isDuration(text),
    'write a duration as 90s, 15m, 4h or 3d: at least 1s and at most 10 years',
  )
  .transform((text) => milliseconds(text) ?? 0)
  .meta({ description: 'A duration: 90s, 15m, 4h or 3d.', pattern: '^\\d{1,12}[smhd]$' });

/** As people write it, in the largest unit that fits. */
export function writeDuration(ms: number | null): string {
  if (ms === null) return 'never';
  const unit = (['d', 'h', 'm'] as const).find((name) => ms % UNITS[name] === 0) ?? 's';
  return `${Math.round(ms / UNITS[unit])}${unit}`;
}

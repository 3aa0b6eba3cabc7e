import { RE2JS } from 're2js';

/** Maximum size of a compiled pattern. */
const MAX_INSTRUCTIONS = 500;
/** Maximum of instructions times characters. Each step takes up to 65 ns, so a match takes about 20 ms. */
const MAX_WORK = 250_000;
/** Maximum of ranges over most of Unicode. Ignoring case, each takes about 7 ms to compile. */
const MAX_WIDE_RANGES = 32;
const MAX_WIDE_RANGES_IGNORING_CASE = 4;
const MAX_CACHED_PATTERNS = 50;

type CompiledPattern = { ok: true; regex: RE2JS } | { ok: false; reason: string };

const patternCache = new Map<string, CompiledPattern>();

/** Returns why the pattern cannot be used, or undefined. */
export function findPatternIssue(pattern: string): string | undefined {
  const compiled = compilePattern(pattern);
  return compiled.ok ? undefined : compiled.reason;
}

/** Returns whether the pattern occurs in the text. An unusable one, rejected on creation, allows every text. */
export function matchesPattern(pattern: string, text: string): boolean {
  const compiled = compilePattern(pattern);
  // Not `test`, which would keep up to 8 MB of states for each pattern.
  return !compiled.ok || compiled.regex.matcher(text).find();
}

/** The longest text, in characters, that the pattern can check fast enough. */
export function maxPatternTextLength(pattern: string): number {
  const compiled = compilePattern(pattern);
  return compiled.ok ? Math.floor(MAX_WORK / compiled.regex.programSize()) : 0;
}

function compilePattern(pattern: string): CompiledPattern {
  const cached = patternCache.get(pattern);
  if (cached) return cached;
  const compiled = compileUncached(pattern);
  if (patternCache.size >= MAX_CACHED_PATTERNS) patternCache.clear();
  patternCache.set(pattern, compiled);
  return compiled;
}

const PATTERN_TOO_LARGE: CompiledPattern = {
  ok: false,
  reason: 'too many repetitions; use minLength and maxLength for lengths, and smaller counts in {}',
};
const PATTERN_TOO_WIDE: CompiledPattern = { ok: false, reason: 'too many ranges of Unicode characters' };

function compileUncached(pattern: string): CompiledPattern {
  // Both are checked before compiling, which could take up to 0.4 s.
  if (hasTooManyRanges(pattern)) return PATTERN_TOO_WIDE;
  if (estimateProgramSize(pattern) > MAX_INSTRUCTIONS * 4) return PATTERN_TOO_LARGE;
  try {
    const regex = RE2JS.compile(pattern);
    return regex.programSize() > MAX_INSTRUCTIONS ? PATTERN_TOO_LARGE : { ok: true, regex };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: message.replace(/^error parsing regexp: /, '') };
  }
}

function hasTooManyRanges(pattern: string): boolean {
  const ranges = pattern.match(/\\p|-(?:\\x|[^ -~])/giu) ?? [];
  return ranges.length > (/\(\?[a-z-]*i/i.test(pattern) ? MAX_WIDE_RANGES_IGNORING_CASE : MAX_WIDE_RANGES);
}

const QUOTED = String.raw`\\Q[\s\S]*?(?:\\E|$)`;
const ESCAPE = String.raw`\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]`;
const CLASS = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]`;
const FLAGS = String.raw`\(\?[\w-]*\)`;
const GROUP = String.raw`\((?:\?(?:P?<[^>]*>|[\w-]*:?))?`;
const TIMES = String.raw`\{(?<min>\d+)(?:,(?<max>\d*))?\}`;
/** The parts of a pattern that matter for its size. */
const PATTERN_TOKEN = new RegExp([QUOTED, ESCAPE, CLASS, FLAGS, GROUP, TIMES, String.raw`[\s\S]`].join('|'), 'gu');

/** Flags such as `(?i)`, which cannot be repeated. */
const FLAG_GROUP = new RegExp(`^${FLAGS}$`);

/** Estimates the number of instructions without compiling. Never too low. */
export function estimateProgramSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const { 0: token, groups = {} } of pattern.matchAll(PATTERN_TOKEN)) {
    if (FLAG_GROUP.test(token)) continue;
    if (token.startsWith('(')) {
      outer.push(size);
      size = 0;
      last = 0;
    } else if (token === ')') {
      last = size + 3;
      size = (outer.pop() ?? 0) + last;
    } else if (groups.min !== undefined) {
      const times = Math.max(Number(groups.min), Number(groups.max ?? 0), 1);
      size += (times - 1) * last + times + 1;
      last = times * (last + 1) + 1;
    } else if (/^[*+?|]$/.test(token)) {
      last += 2;
      size += 2;
    } else {
      last = token.startsWith('\\Q') ? token.length : 1;
      size += last;
    }
  }
  return size + 3;
}

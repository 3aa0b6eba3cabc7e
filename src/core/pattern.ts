import { RE2JS } from 're2js';
import { sizeOf } from './pattern-parts';

/** Of a compiled pattern. */
const INSTRUCTIONS = 500;
/** Instructions times characters: linear is not fast. Each takes up to 65 ns, so this much some 20 ms. */
const WORK = 250_000;
/** Ranges over most of Unicode: where case is ignored each takes some 7 ms to make. */
const WIDE = 32;
const WIDE_IGNORING_CASE = 4;
const KEPT = 50;

type Compiled = { ok: true; of: RE2JS } | { ok: false; why: string };

const compiled = new Map<string, Compiled>();

/** Why this pattern cannot be used, if so. */
export function patternFault(pattern: string): string | undefined {
  const made = compile(pattern);
  return made.ok ? undefined : made.why;
}

/** Does it occur in the text? A pattern that cannot be used was refused when it was put, and forbids nothing. */
export function matches(pattern: string, text: string): boolean {
  const made = compile(pattern);
  // Not `test`: that would keep up to 8 MB of states for each pattern.
  return !made.ok || made.of.matcher(text).find();
}

/** The longest text, in characters, that it checks in good time. */
export function longestFor(pattern: string): number {
  const made = compile(pattern);
  return made.ok ? Math.floor(WORK / made.of.programSize()) : 0;
}

function compile(pattern: string): Compiled {
  const known = compiled.get(pattern);
  if (known) return known;
  const made = compileAnew(pattern);
  if (compiled.size >= KEPT) compiled.clear();
  compiled.set(pattern, made);
  return made;
}

const TOO_LARGE: Compiled = {
  ok: false,
  why: 'it repeats too much: use minLength and maxLength for lengths, and smaller counts in {}',
};
const TOO_WIDE: Compiled = { ok: false, why: 'it has too many ranges of Unicode characters' };

function compileAnew(pattern: string): Compiled {
  // Both asked before compiling, which would take up to 0.4 s.
  if (isTooWide(pattern)) return TOO_WIDE;
  if (sizeOf(pattern) > INSTRUCTIONS * 4) return TOO_LARGE;
  try {
    const made = RE2JS.compile(pattern);
    return made.programSize() > INSTRUCTIONS ? TOO_LARGE : { ok: true, of: made };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: false, why: message.replace(/^error parsing regexp: /, '') };
  }
}

function isTooWide(pattern: string): boolean {
  const ranges = pattern.match(/\\p|-(?:\\x|[^ -~])/giu) ?? [];
  return ranges.length > (/\(\?[a-z-]*i/i.test(pattern) ? WIDE_IGNORING_CASE : WIDE);
}

const QUOTED = String.raw`\\Q[\s\S]*?(?:\\E|$)`;
const ESCAPE = String.raw`\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\[\s\S]`;
const CLASS = String.raw`\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]`;
const FLAGS = String.raw`\(\?[\w-]*\)`;
const GROUP = String.raw`\((?:\?(?:P?<[^>]*>|[\w-]*:?))?`;
const TIMES = String.raw`\{(?<min>\d+)(?:,(?<max>\d*))?\}`;
/** The parts a pattern is written of, as far as its size and an example need them told apart. */
export const TOKEN = new RegExp(
  [QUOTED, ESCAPE, CLASS, FLAGS, GROUP, TIMES, String.raw`[\s\S]`].join('|'),
  'gu',
);

/** `(?i)`: no part that could be repeated. */
export function isFlags(token: string): boolean {
  return /^\(\?[\w-]*\)$/.test(token);
}

/** About how many instructions it would compile to, without compiling it: never fewer than there are. */
export function sizeOf(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (isFlags(token)) continue;
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

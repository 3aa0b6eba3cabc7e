import { chordOf, type Key } from '#cli/screen/key';
import type { Stepped } from './list';
import type { Flag } from './step';

const MOVES: Record<string, number> = { left: -1, up: -1, right: 1, down: 1, h: -1, k: -1, l: 1, j: 1 };

/** `y` and `n` only go there: what is sent is sent by Enter. */
export function pressFlag(flag: Flag, key: Key): Stepped<Flag> | undefined {
  const chord = chordOf(key);
  if (chord === 'return' || chord === 'enter') return { step: flag, go: 'next' };
  if (key.name === 'paste') return { step: flag };
  if (key.text === '?') return { step: flag, go: 'keys' };
  const to = { y: 0, 1: 0, n: 1, 2: 1, 3: 2, home: 0, end: flag.choices.length - 1 }[chord.toLowerCase()];
  const at = to ?? (MOVES[chord] === undefined ? undefined : flag.at + MOVES[chord]);
  if (at === undefined) return undefined;
  return { step: { ...flag, at: Math.max(0, Math.min(at, flag.choices.length - 1)) } };
}

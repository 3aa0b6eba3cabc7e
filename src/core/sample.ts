import { matches } from './pattern';
import { isFlags, TOKEN } from './pattern-parts';

/** A text it would match, or a good guess: the first branch, and each part as often as it must be, but once at least. */
export function sampleOf(pattern: string): string {
  const outer: { before: string; isDone: boolean }[] = [];
  let text = '';
  let last = '';
  let isDone = false;
  for (const { 0: token, groups = {} } of pattern.matchAll(TOKEN)) {
    if (isFlags(token) || /^[*+?]$/.test(token)) continue;
    if (token.startsWith('(')) {
      outer.push({ before: text, isDone });
      text = '';
    } else if (token === ')') {
      const group = outer.pop() ?? { before: '', isDone: false };
      last = text;
      text = group.before + last;
      isDone = group.isDone;
    } else if (token === '|') {
      isDone = true;
    } else if (!isDone) {
      last =
        groups.min === undefined ? characterFor(token) : last.repeat(Math.max(Number(groups.min) - 1, 0));
      text += last;
    }
  }
  return text;
}

function characterFor(token: string): string {
  if (/^[^\\.^$[]$/u.test(token)) return token;
  const plain = ['a', '1', 'A', '-', ' ', ...token];
  return plain.find((character) => matches(`^(?:${token})$`, character)) ?? '';
}

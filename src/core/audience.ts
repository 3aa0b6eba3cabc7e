import { digestOf } from './digest';
import { jsonBytes } from './json';
import type { State } from './state';

type Indexed = Pick<State, 'access' | 'salt'>;

/** Everybody a conversation is for, each once: what it is indexed by. The index is in clear: names may have to be hidden. */
export function audienceOf({ access: { owner, visibleTo, assignees }, salt }: Indexed): string[] {
  const names = [...new Set([...(owner ? [owner] : []), ...visibleTo, ...assignees])];
  return salt === undefined ? names : names.map((name) => pseudonymOf(name, salt));
}

export function audienceBytes(state: Indexed): number {
  return jsonBytes(audienceOf(state));
}

/** As in contract/access.ts, which this cannot import. */
const EVERYBODY = '*';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const PSEUDONYM_LETTERS = 16;

/** A name that nobody can read or guess without the salt: 96 bits, so short that a hundred fit where names are indexed. */
export function pseudonymOf(name: string, salt: string): string {
  if (name === EVERYBODY) return name;
  const hex = digestOf([salt, name]).slice('sha256:'.length);
  let letters = '';
  for (let at = 0; letters.length < PSEUDONYM_LETTERS; at += 3) {
    const bits = Number.parseInt(hex.slice(at, at + 3), 16);
    letters += `${LETTERS[bits >> 6]}${LETTERS[bits & 63]}`;
  }
  return letters;
}

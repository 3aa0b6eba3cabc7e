import type { State } from './state';

/** Everybody a conversation is for, each once: what it is indexed by. */
export function audienceOf({ owner, visibleTo, assignees }: State['access']): string[] {
  return [...new Set([...(owner ? [owner] : []), ...visibleTo, ...assignees])];
}

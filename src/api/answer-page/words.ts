import type { Field } from '#contract/question';

/** The label that the agent gave a field; one that only counts says nothing. */
export function headerOf({ header }: Field): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
}

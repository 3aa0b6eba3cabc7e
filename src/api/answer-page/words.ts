import type { QuestionField } from '#contract/question';

/** The label that the agent gave a field; one that only counts says nothing. */
export function headerOf({ header }: QuestionField): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
}

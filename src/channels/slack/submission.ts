import type { Field, Question, Value } from '#contract/question';
import { choicesFor, takesSeveral } from './choices';
import { blockOf, COMMENT_BLOCK, otherBlockOf, VALUE } from './inputs';

/** What Slack hands back of one input. */
export interface Filled {
  type?: string;
  value?: string | null;
  selected_option?: { value?: string } | null;
  selected_options?: { value?: string }[] | null;
  selected_date?: string | null;
  selected_date_time?: number | null;
}

export type FilledBlocks = Record<string, Record<string, Filled>>;

export interface FilledForm {
  answers: Record<string, Value>;
  comment?: string;
}

/** The answer that a form makes. What is left empty has no answer, and is faulted where it needs one. */
export function readForm(question: Question, values: FilledBlocks): FilledForm {
  const answers: Record<string, Value> = {};
  for (const field of question.fields) {
    const value = fieldValue(field, values);
    if (value !== undefined) answers[field.key] = value;
  }
  const comment = values[COMMENT_BLOCK]?.[VALUE]?.value?.trim();
  return { answers, ...(comment ? { comment } : {}) };
}

function fieldValue(field: Field, values: FilledBlocks): Value | undefined {
  const filled = values[blockOf(field.key)]?.[VALUE];
  const other = values[otherBlockOf(field.key)]?.[VALUE]?.value?.trim();
  if (!choicesFor(field)) return typedValue(field, filled);
  if (takesSeveral(field)) return severalOf(field, filled, other);
  // What is chosen beforehand cannot be taken back in Slack: a text of one's own goes before it.
  return other ? { other } : chosen(field, filled?.selected_option?.value);
}

function severalOf(field: Field, filled: Filled | undefined, other: string | undefined): Value | undefined {
  const picked = filled?.selected_options ?? [];
  const labels = picked.flatMap(({ value }) => {
    const label = chosen(field, value);
    return typeof label === 'string' ? [label] : [];
  });
  const all = [...labels, ...(other ? [{ other }] : [])];
  const mayBeNone = field.schema?.type === 'array' && field.schema.minItems === 0;
  return all.length > 0 || mayBeNone ? all : undefined;
}

function chosen(field: Field, index: string | undefined): string | boolean | undefined {
  return index === undefined ? undefined : choicesFor(field)?.[Number(index)]?.value;
}

function typedValue({ schema }: Field, filled: Filled | undefined): Value | undefined {
  if (filled?.selected_date_time) return new Date(filled.selected_date_time * 1_000).toISOString();
  const text = filled?.selected_date ?? filled?.value ?? '';
  if (text.trim() === '') return schema?.type === 'string' && schema.minLength === 0 ? '' : undefined;
  if (schema?.type === 'number' || schema?.type === 'integer') {
    const number = Number(text);
    return Number.isFinite(number) ? number : text;
  }
  return text;
}

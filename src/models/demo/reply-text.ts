import type { DemoQuestionResult, DemoState } from './demo-state';

export const DEMO_NOTE =
  '_Demo model: this is a scripted answer. Nothing was booked, sent or changed. Set `ANTHROPIC_API_KEY` to use a real model._';

/** Returns the request as a title of one line. */
export function formatTitle({ request }: DemoState): string {
  return truncateLine(firstLine(request));
}

/** Returns the topic of the first line, without the prefix that names the kind of task. */
export function extractTopic(request: string): string {
  const line = firstLine(request);
  const [, topic = line] = /^.*”: (.*)$/.exec(line) ?? /^.*?: (.*)$/.exec(line) ?? [];
  return truncateLine(topic.charAt(0).toUpperCase() + topic.slice(1));
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim().replace(/[.!?\s]+$/, '');
}

function truncateLine(line: string): string {
  return line.length > 80 ? `${line.slice(0, 79).trimEnd()}…` : line;
}

/** Converts an answer to texts. Free text is quoted, to show that it arrived. */
export function toAnswerTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(toAnswerTexts);
  if (typeof value === 'object' && value !== null && 'other' in value) return [`“${value.other}”`];
  return [String(value)];
}

export function joinWithAnd(items: string[]): string {
  return items.length < 2 ? (items[0] ?? 'nothing else') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

export function formatRemarks({ form, confirmation, remarks }: DemoState): string[] {
  const comments = [form, confirmation].flatMap((result?: DemoQuestionResult) => result?.comment ?? []);
  return [...comments, ...remarks].map((remark) => `- **You added:** ${remark}`);
}

/** Says why assumptions were made; empty if the form was answered. */
export function describeAssumptions(form: DemoQuestionResult | undefined): string {
  if (form?.status === 'timed_out') return 'No answer in time, so I continued with these **assumptions**:';
  if (form?.status === 'declined') return 'I continued **without your answers** and used common defaults:';
  return form ? '' : 'I could not ask, so these are my **assumptions**:';
}

export function joinParagraphs(parts: string[]): string {
  return parts.filter(Boolean).join('\n\n');
}

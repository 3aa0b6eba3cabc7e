import { editorOf } from '#cli/ask/editor';
import { type Flag, type List, type Step, type Taken, take } from '#cli/ask/form/step';

/** What a line means to whoever is asked. */
export type Line =
  | { kind: 'help' }
  | { kind: 'later' }
  | { kind: 'decline'; reason?: string }
  | { kind: 'value'; taken: Taken };

/** A line in answer to that step, which is as it was first shown: an empty one takes the default. */
export function readLine(step: Step, written: string): Line {
  const line = written.trim();
  const command = labelsOf(step).includes(line) ? undefined : commandIn(line);
  return command ?? { kind: 'value', taken: line === '' ? unsaid(step) : said(step, line) };
}

/** What can be said instead of an answer, everywhere. */
export const COMMANDS = '/decline, /later, /help';

/** With a slash, as hardly any answer begins. */
export function commandIn(line: string): Exclude<Line, { kind: 'value' }> | undefined {
  if (line === '?' || /^\/help$/i.test(line)) return { kind: 'help' };
  if (/^\/later$/i.test(line)) return { kind: 'later' };
  const [isDecline, reason] = /^\/decline(?:\s+(.*))?$/i.exec(line) ?? [];
  return isDecline ? { kind: 'decline', ...(reason && { reason }) } : undefined;
}

function labelsOf(step: Step): readonly string[] {
  switch (step.kind) {
    case 'list':
      return step.options.map(({ label }) => label.trim());
    case 'flag':
      return step.choices;
    case 'writing':
      return [];
  }
}

/** Of two buttons one is always lit; that alone is no answer. */
function unsaid(step: Step): Taken {
  if (step.kind !== 'flag' || step.field.default !== undefined) return take(step);
  return step.field.required ? { ok: false, fault: 'Choose yes or no.' } : { ok: true, value: undefined };
}

function said(step: Step, line: string): Taken {
  const filled = fill(step, line);
  return typeof filled === 'string' ? { ok: false, fault: filled } : take(filled);
}

/** What is wrong with it, where it cannot even be put in. */
function fill(step: Step, line: string): Step | string {
  switch (step.kind) {
    case 'writing':
      return { ...step, editor: editorOf(line, step.editor.isLong) };
    case 'flag':
      return flagged(step, line);
    case 'list':
      return step.isMany ? several(step, line) : one({ ...step, picked: [], isOther: false }, line);
  }
}

const FLAGS: Record<string, number> = { y: 0, yes: 0, true: 0, 1: 0, n: 1, no: 1, false: 1, 2: 1 };

function flagged(step: Flag, line: string): Flag | string {
  const wanted = line.toLowerCase();
  const label = step.choices.findIndex((choice) => choice.toLowerCase() === wanted);
  const at = label === -1 ? FLAGS[wanted] : label;
  return at === undefined ? 'Write yes or no.' : { ...step, at };
}

/** What follows `other:` is one text, commas and all; so is a label that has some. */
function several(list: List, line: string): List | string {
  const blank: List = { ...list, picked: [], isOther: false };
  if (labelIn(list, line) !== undefined) return one(blank, line);
  const [, before = line, other] = /^(.*?)((?:^|(?<=,))\s*other\s*:.*)$/i.exec(line) ?? [];
  const parts = [...before.split(','), other ?? ''].map((part) => part.trim()).filter(Boolean);
  return parts.reduce<List | string>((so, part) => (typeof so === 'string' ? so : one(so, part)), blank);
}

/** A number, a label in any case, or `other: text`. */
function one(list: List, part: string): List | string {
  const label = labelIn(list, part);
  if (label !== undefined)
    return { ...list, picked: list.isMany ? [...new Set([...list.picked, label])] : [label] };
  const { options, field } = list;
  const [, other] = /^other\s*:\s*(.*)$/i.exec(part) ?? [];
  if (field.allowOther && other) return { ...list, isOther: true, other: editorOf(other) };
  if (field.allowOther && (part === String(options.length + 1) || /^other\W*$/i.test(part)))
    return 'Write other: and then what it is.';
  return `${JSON.stringify(part)} is none of them. Write ${wayOf(list)}.`;
}

function labelIn({ options }: List, said: string): string | undefined {
  const exact = options.find(({ label }) => label === said);
  const alike = options.find(({ label }) => label.trim().toLowerCase() === said.toLowerCase());
  const numbered = /^\d+$/.test(said) ? options[Number(said) - 1] : undefined;
  return (exact ?? alike ?? numbered)?.label;
}

/** How it is answered in a line. */
export function wayOf(step: Step): string {
  switch (step.kind) {
    case 'writing':
      return 'your answer on one line';
    case 'flag':
      return 'yes or no';
    case 'list': {
      const other = step.field.allowOther ? ', or other: and then what it is' : '';
      const range = `1 to ${step.options.length}`;
      return step.isMany
        ? `numbers from ${range} or labels, with commas between${other}`
        : `a number from ${range} or a label${other}`;
    }
  }
}

/** Everything that a line may say. */
export function waysOf(step: Step): string[] {
  const { field } = step;
  return [
    `Write ${wayOf(step)}.`,
    ...(field.default === undefined ? [] : ['An empty line takes the default.']),
    ...(field.default === undefined && !field.required ? ['An empty line leaves it out.'] : []),
    '/decline, or /decline and why: you will not answer it.',
    '/later: it waits on.',
  ];
}

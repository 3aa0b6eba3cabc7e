import { fold } from '#cli/text/fold';
import type { Option } from '#contract/question';
import type { List } from './step';

export type Row =
  | { kind: 'option'; option: Option /** From 1, as it was offered. */; number: number }
  | { kind: 'other' }
  | { kind: 'skip' };

/** Those that the filter leaves, and after them what is always there. */
export function rowsOf({ options, filter, field, isMany }: List): Row[] {
  const shown = options.map((option, index): Row => ({ kind: 'option', option, number: index + 1 }));
  return [
    ...(filter ? shown.filter((row) => isMatch(row, filter)) : shown),
    ...(field.allowOther ? [{ kind: 'other' } as const] : []),
    ...(field.required || isMany ? [] : [{ kind: 'skip' } as const]),
  ];
}

function isMatch(row: Row, filter: string): boolean {
  if (row.kind !== 'option') return false;
  const { label, description = '' } = row.option;
  return fold(`${label}\n${description}`).includes(fold(filter));
}

export function isNothingFound(list: List): boolean {
  return list.filter !== undefined && !rowsOf(list).some(({ kind }) => kind === 'option');
}

/** To what fits best; where nothing is sought any more, one stays where one was. */
export function filtered(list: List, filter: string | undefined): List {
  const before = rowsOf(list)[list.at];
  const next = { ...list, filter };
  const rows = rowsOf(next);
  const at = filter ? bestOf(rows, filter) : rows.findIndex((row) => isSame(row, before));
  return { ...next, at: Math.max(0, at) };
}

/** A label that begins with it goes before one that has it somewhere, and that before a description. */
function bestOf(rows: readonly Row[], filter: string): number {
  const labels = rows.map((row) => (row.kind === 'option' ? fold(row.option.label) : ''));
  const first = labels.findIndex((label) => label.startsWith(fold(filter)));
  return first === -1 ? labels.findIndex((label) => label.includes(fold(filter))) : first;
}

function isSame(one: Row, other: Row | undefined): boolean {
  return one.kind === 'option' && other?.kind === 'option'
    ? one.number === other.number
    : one.kind === other?.kind;
}

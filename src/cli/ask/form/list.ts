import { edit, editorOf, insert } from '#cli/ask/editor';
import { chordOf, type Key } from '#cli/screen/key';
import { filtered, isNothingFound, rowsOf } from './rows';
import type { List } from './step';

/** What a key does to a step: what it is then, and where it leads. Nothing where it means nothing to it. */
export interface Stepped<Of> {
  step: Of;
  go?: 'next' | 'back' | 'keys';
}

export function pressList(list: List, key: Key, page: number): Stepped<List> | undefined {
  if (list.isWriting) return pressOther(list, key);
  const chord = chordOf(key);
  const moved = moveOf(list, list.filter === undefined ? (VI[key.text] ?? chord) : chord, page);
  if (moved !== undefined) return { step: { ...list, at: moved } };
  if (chord === 'return' || chord === 'enter') return enter(list);
  if (list.isMany && (chord === 'space' || chord === 'tab')) return { step: toggle(list) };
  return list.filter === undefined ? pressPlain(list, key, chord) : pressFilter(list, key, chord);
}

/** While nobody filters. */
const VI: Record<string, string> = { j: 'down', k: 'up' };

function moveOf(list: List, chord: string, page: number): number | undefined {
  const last = rowsOf(list).length - 1;
  const at = Math.min(list.at, Math.max(0, last));
  switch (chord) {
    case 'up':
    case 'C-p':
      return at === 0 ? Math.max(0, last) : at - 1;
    case 'down':
    case 'C-n':
      return at >= last ? 0 : at + 1;
    case 'home':
      return 0;
    case 'end':
      return Math.max(0, last);
    case 'pageup':
      return Math.max(0, at - page);
    case 'pagedown':
      return Math.max(0, Math.min(last, at + page));
    default:
      return undefined;
  }
}

/** While nobody filters, keys stand for something; any other begins to filter. */
function pressPlain(list: List, key: Key, chord: string): Stepped<List> | undefined {
  if (chord === 'left') return { step: list, go: 'back' };
  if (list.isMany && chord === 'C-a') return { step: { ...list, picked: allOrNone(list) } };
  if (key.text.trim() === '') return undefined;
  if (key.name === 'paste') return { step: filtered(list, onOneLine(key.text)) };
  if (/^[1-9]$/.test(key.text))
    return { step: Number(key.text) <= rowsOf(list).length ? { ...list, at: Number(key.text) - 1 } : list };
  if (key.text === '?') return { step: list, go: 'keys' };
  if (key.text === '/') return { step: filtered(list, '') };
  return { step: filtered(list, key.text) };
}

function pressFilter(list: List, key: Key, chord: string): Stepped<List> | undefined {
  const { filter = '' } = list;
  if (chord === 'escape' || chord === 'C-u') return { step: filtered(list, undefined) };
  if (chord === 'backspace' || chord === 'C-h') {
    const { text } = edit(editorOf(filter), { ...key, name: 'backspace', ctrl: false }) ?? { text: '' };
    return { step: filtered(list, text === '' ? undefined : text) };
  }
  return key.text === '' ? undefined : { step: filtered(list, filter + onOneLine(key.text)) };
}

function onOneLine(text: string): string {
  return insert(editorOf(), text).text;
}

function allOrNone({ options, picked }: List): string[] {
  return picked.length < options.length ? options.map(({ label }) => label) : [];
}

function toggle(list: List): List {
  const row = rowsOf(list)[list.at];
  if (row?.kind === 'other') return list.isOther ? { ...list, isOther: false } : openOther(list);
  if (row?.kind !== 'option') return list;
  const { label } = row.option;
  const picked = list.picked.includes(label)
    ? list.picked.filter((one) => one !== label)
    : [...list.picked, label];
  return { ...list, picked };
}

function enter(list: List): Stepped<List> {
  const row = rowsOf(list)[list.at];
  if (row?.kind === 'other' && !(list.isMany && list.isOther)) return { step: openOther(list) };
  if (list.isMany) return { step: list, go: 'next' };
  if (row === undefined) return { step: list };
  const picked = row.kind === 'option' ? [row.option.label] : [];
  return { step: { ...list, picked, isOther: false }, go: 'next' };
}

/** With what was looked for and not found. */
function openOther(list: List): List {
  const sought = isNothingFound(list) ? list.filter : undefined;
  return { ...list, isWriting: true, other: sought ? editorOf(sought) : list.other };
}

function pressOther(list: List, key: Key): Stepped<List> | undefined {
  const chord = chordOf(key);
  if (chord === 'escape' || chord === 'S-tab') return { step: { ...list, isWriting: false } };
  if (chord !== 'return' && chord !== 'enter') {
    const other = edit(list.other, key);
    return other && { step: { ...list, other } };
  }
  const isOther = list.other.text.trim() !== '';
  if (!isOther && !list.isMany) return { step: { ...list, fault: 'Write what “Other” stands for.' } };
  const closed = atOther({ ...list, filter: undefined, isOther, isWriting: false });
  return list.isMany ? { step: closed } : { step: { ...closed, picked: [] }, go: 'next' };
}

function atOther(list: List): List {
  const at = rowsOf(list).findIndex(({ kind }) => kind === 'other');
  return { ...list, at: Math.max(0, at) };
}

import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type ChoiceStep, filterChoices, hasNoMatches, listChoiceRows } from './field-step';
import { createTextEditor, editText, insertText } from './text-editor';

/** What a key does to a step: what it is then, and where it leads. Nothing where it means nothing to it. */
export interface StepKeyResult<Of> {
  step: Of;
  go?: 'next' | 'back' | 'keys';
}

export function handleChoiceKey(list: ChoiceStep, key: KeyPress, page: number): StepKeyResult<ChoiceStep> | undefined {
  if (list.isWriting) return handleOtherKey(list, key);
  const chord = keyChord(key);
  const moved = findMovedIndex(list, list.filter === undefined ? (VI_KEYS[key.text] ?? chord) : chord, page);
  if (moved !== undefined) return { step: { ...list, at: moved } };
  if (chord === 'return' || chord === 'enter') return confirmRow(list);
  if (list.isMany && (chord === 'space' || chord === 'tab')) return { step: toggleRow(list) };
  return list.filter === undefined ? handleUnfilteredKey(list, key, chord) : handleFilterKey(list, key, chord);
}

/** While nobody filters. */
const VI_KEYS: Record<string, string> = { j: 'down', k: 'up' };

function findMovedIndex(list: ChoiceStep, chord: string, page: number): number | undefined {
  const last = listChoiceRows(list).length - 1;
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
function handleUnfilteredKey(list: ChoiceStep, key: KeyPress, chord: string): StepKeyResult<ChoiceStep> | undefined {
  if (chord === 'left') return { step: list, go: 'back' };
  if (list.isMany && chord === 'C-a') return { step: { ...list, picked: toggleAllChoices(list) } };
  if (key.text.trim() === '') return undefined;
  if (key.name === 'paste') return { step: filterChoices(list, toOneLine(key.text)) };
  if (/^[1-9]$/.test(key.text))
    return {
      step: Number(key.text) <= listChoiceRows(list).length ? { ...list, at: Number(key.text) - 1 } : list,
    };
  if (key.text === '?') return { step: list, go: 'keys' };
  if (key.text === '/') return { step: filterChoices(list, '') };
  return { step: filterChoices(list, key.text) };
}

function handleFilterKey(list: ChoiceStep, key: KeyPress, chord: string): StepKeyResult<ChoiceStep> | undefined {
  const { filter = '' } = list;
  if (chord === 'escape' || chord === 'C-u') return { step: filterChoices(list, undefined) };
  if (chord === 'backspace' || chord === 'C-h') {
    const { text } = editText(createTextEditor(filter), { ...key, name: 'backspace', ctrl: false }) ?? {
      text: '',
    };
    return { step: filterChoices(list, text === '' ? undefined : text) };
  }
  return key.text === '' ? undefined : { step: filterChoices(list, filter + toOneLine(key.text)) };
}

function toOneLine(text: string): string {
  return insertText(createTextEditor(), text).text;
}

function toggleAllChoices({ options, picked }: ChoiceStep): string[] {
  return picked.length < options.length ? options.map(({ label }) => label) : [];
}

function toggleRow(list: ChoiceStep): ChoiceStep {
  const row = listChoiceRows(list)[list.at];
  if (row?.kind === 'other') return list.isOther ? { ...list, isOther: false } : openOtherInput(list);
  if (row?.kind !== 'option') return list;
  const { label } = row.option;
  const picked = list.picked.includes(label) ? list.picked.filter((one) => one !== label) : [...list.picked, label];
  return { ...list, picked };
}

function confirmRow(list: ChoiceStep): StepKeyResult<ChoiceStep> {
  const row = listChoiceRows(list)[list.at];
  if (row?.kind === 'other' && !(list.isMany && list.isOther)) return { step: openOtherInput(list) };
  if (list.isMany) return { step: list, go: 'next' };
  if (row === undefined) return { step: list };
  const picked = row.kind === 'option' ? [row.option.label] : [];
  return { step: { ...list, picked, isOther: false }, go: 'next' };
}

/** With what was looked for and not found. */
function openOtherInput(list: ChoiceStep): ChoiceStep {
  const sought = hasNoMatches(list) ? list.filter : undefined;
  return { ...list, isWriting: true, other: sought ? createTextEditor(sought) : list.other };
}

function handleOtherKey(list: ChoiceStep, key: KeyPress): StepKeyResult<ChoiceStep> | undefined {
  const chord = keyChord(key);
  if (chord === 'escape' || chord === 'S-tab') return { step: { ...list, isWriting: false } };
  if (chord !== 'return' && chord !== 'enter') {
    const other = editText(list.other, key);
    return other && { step: { ...list, other } };
  }
  const isOther = list.other.text.trim() !== '';
  if (!isOther && !list.isMany) return { step: { ...list, fault: 'Write what “Other” stands for.' } };
  const closed = selectOtherRow({ ...list, filter: undefined, isOther, isWriting: false });
  return list.isMany ? { step: closed } : { step: { ...closed, picked: [] }, go: 'next' };
}

function selectOtherRow(list: ChoiceStep): ChoiceStep {
  const at = listChoiceRows(list).findIndex(({ kind }) => kind === 'other');
  return { ...list, at: Math.max(0, at) };
}

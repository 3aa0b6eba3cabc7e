import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { editListFilter, moveInList } from '#cli/tty/list-keys';
import { type ChoiceStep, filterChoices, hasNoMatches, listChoiceRows } from './field-step';
import { createTextEditor, editText } from './text-editor';

/** The effect of a key on a step: the new step and where to go next. Handlers return undefined for unused keys. */
export interface StepKeyResult<Of> {
  step: Of;
  goTo?: 'next' | 'back' | 'help';
}

const PAGE_ROWS = 10;

/** Keys of a choice of yes or no, and the list keys they stand for. */
const YES_NO_KEYS: Record<string, Pick<KeyPress, 'name' | 'text'>> = {
  left: { name: 'up', text: '' },
  right: { name: 'down', text: '' },
  y: { name: '1', text: '1' },
  n: { name: '2', text: '2' },
};

export function handleChoiceKey(step: ChoiceStep, pressedKey: KeyPress): StepKeyResult<ChoiceStep> | undefined {
  if (step.isEditingOther) return handleOtherKey(step, pressedKey);
  const { filter, isMany, isYesNo } = step;
  const key = { ...pressedKey, ...(isYesNo && YES_NO_KEYS[keyChord(pressedKey).toLowerCase()]) };
  const chord = keyChord(key);
  const rowIndex = moveInList(key, { ...step, rowCount: listChoiceRows(step).length, pageRows: PAGE_ROWS });
  if (rowIndex !== undefined) return { step: { ...step, rowIndex } };
  if (chord === 'return' || chord === 'enter') return confirmRow(step);
  if (isMany && (chord === 'space' || chord === 'tab')) return { step: toggleRow(step) };
  if (filter === undefined) {
    if (chord === 'left') return { step, goTo: 'back' };
    if (isMany && chord === 'C-a') return { step: { ...step, picked: toggleAllChoices(step) } };
    if (key.text === '?') return { step, goTo: 'help' };
  }
  const newFilter = isYesNo ? false : editListFilter(key, filter);
  return newFilter === false ? undefined : { step: filterChoices(step, newFilter) };
}

function toggleAllChoices({ options, picked }: ChoiceStep): string[] {
  return picked.length < options.length ? options.map(({ label }) => label) : [];
}

function toggleRow(step: ChoiceStep): ChoiceStep {
  const row = listChoiceRows(step)[step.rowIndex];
  if (row?.kind === 'other') return step.isOther ? { ...step, isOther: false } : openOtherInput(step);
  if (row?.kind !== 'option') return step;
  const { label } = row.option;
  const picked = step.picked.includes(label) ? step.picked.filter((other) => other !== label) : [...step.picked, label];
  return { ...step, picked };
}

function confirmRow(step: ChoiceStep): StepKeyResult<ChoiceStep> {
  const row = listChoiceRows(step)[step.rowIndex];
  if (row?.kind === 'other' && !(step.isMany && step.isOther)) return { step: openOtherInput(step) };
  if (step.isMany) return { step, goTo: 'next' };
  if (row === undefined) return { step };
  const picked = row.kind === 'option' ? [row.option.label] : [];
  return { step: { ...step, picked, isOther: false }, goTo: 'next' };
}

/** Opens “Other”, prefilled with the filter text if it matched nothing. */
function openOtherInput(step: ChoiceStep): ChoiceStep {
  const unmatchedFilter = hasNoMatches(step) ? step.filter : undefined;
  return { ...step, isEditingOther: true, other: unmatchedFilter ? createTextEditor(unmatchedFilter) : step.other };
}

function handleOtherKey(step: ChoiceStep, key: KeyPress): StepKeyResult<ChoiceStep> | undefined {
  const chord = keyChord(key);
  if (chord === 'escape' || chord === 'S-tab') return { step: { ...step, isEditingOther: false } };
  if (chord !== 'return' && chord !== 'enter') {
    const other = editText(step.other, key);
    return other && { step: { ...step, other } };
  }
  const isOther = step.other.text.trim() !== '';
  if (!isOther && !step.isMany) return { step: { ...step, error: 'Describe “Other”.' } };
  const closed = selectOtherRow({ ...step, filter: undefined, isOther, isEditingOther: false });
  return step.isMany ? { step: closed } : { step: { ...closed, picked: [] }, goTo: 'next' };
}

function selectOtherRow(step: ChoiceStep): ChoiceStep {
  const rowIndex = listChoiceRows(step).findIndex(({ kind }) => kind === 'other');
  return { ...step, rowIndex: Math.max(0, rowIndex) };
}

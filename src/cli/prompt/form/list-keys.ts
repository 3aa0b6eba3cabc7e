import { type KeyPress, keyChord } from '#cli/tty/keyboard';
import { type ChoiceStep, filterChoices, hasNoMatches, listChoiceRows } from './field-step';
import { createTextEditor, editText, insertText } from './text-editor';

/** The effect of a key on a step: the new step and where to go next. Handlers return undefined for unused keys. */
export interface StepKeyResult<Of> {
  step: Of;
  goTo?: 'next' | 'back' | 'help';
}

export function handleChoiceKey(
  step: ChoiceStep,
  key: KeyPress,
  pageRows: number,
): StepKeyResult<ChoiceStep> | undefined {
  if (step.isEditingOther) return handleOtherKey(step, key);
  const chord = keyChord(key);
  const rowIndex = findMovedIndex(step, step.filter === undefined ? (VI_KEYS[key.text] ?? chord) : chord, pageRows);
  if (rowIndex !== undefined) return { step: { ...step, rowIndex } };
  if (chord === 'return' || chord === 'enter') return confirmRow(step);
  if (step.isMany && (chord === 'space' || chord === 'tab')) return { step: toggleRow(step) };
  return step.filter === undefined ? handleUnfilteredKey(step, key, chord) : handleFilterKey(step, key, chord);
}

/** Apply only without a filter. */
const VI_KEYS: Record<string, string> = { j: 'down', k: 'up' };

function findMovedIndex(step: ChoiceStep, chord: string, pageRows: number): number | undefined {
  const last = listChoiceRows(step).length - 1;
  const rowIndex = Math.min(step.rowIndex, Math.max(0, last));
  switch (chord) {
    case 'up':
    case 'C-p':
      return rowIndex === 0 ? Math.max(0, last) : rowIndex - 1;
    case 'down':
    case 'C-n':
      return rowIndex >= last ? 0 : rowIndex + 1;
    case 'home':
      return 0;
    case 'end':
      return Math.max(0, last);
    case 'pageup':
      return Math.max(0, rowIndex - pageRows);
    case 'pagedown':
      return Math.max(0, Math.min(last, rowIndex + pageRows));
    default:
      return undefined;
  }
}

/** Without a filter, some keys are shortcuts; any other key starts the filter. */
function handleUnfilteredKey(step: ChoiceStep, key: KeyPress, chord: string): StepKeyResult<ChoiceStep> | undefined {
  if (chord === 'left') return { step, goTo: 'back' };
  if (step.isMany && chord === 'C-a') return { step: { ...step, picked: toggleAllChoices(step) } };
  if (key.text.trim() === '') return undefined;
  if (key.name === 'paste') return { step: filterChoices(step, toOneLine(key.text)) };
  if (/^[1-9]$/.test(key.text))
    return {
      step: Number(key.text) <= listChoiceRows(step).length ? { ...step, rowIndex: Number(key.text) - 1 } : step,
    };
  if (key.text === '?') return { step, goTo: 'help' };
  if (key.text === '/') return { step: filterChoices(step, '') };
  return { step: filterChoices(step, key.text) };
}

function handleFilterKey(step: ChoiceStep, key: KeyPress, chord: string): StepKeyResult<ChoiceStep> | undefined {
  const { filter = '' } = step;
  if (chord === 'escape' || chord === 'C-u') return { step: filterChoices(step, undefined) };
  if (chord === 'backspace' || chord === 'C-h') {
    const { text } = editText(createTextEditor(filter), { ...key, name: 'backspace', ctrl: false }) ?? {
      text: '',
    };
    return { step: filterChoices(step, text === '' ? undefined : text) };
  }
  return key.text === '' ? undefined : { step: filterChoices(step, filter + toOneLine(key.text)) };
}

function toOneLine(text: string): string {
  return insertText(createTextEditor(), text).text;
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

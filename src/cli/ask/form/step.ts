import { type Editor, editorOf } from '#cli/ask/editor';
import { asWritten, momentFault, momentIn } from '#cli/ask/moment';
import type { Field, Option, Question, Value } from '#contract/question';
import { checkValue } from '#core/answers';
import { type Control, controlOf } from '#core/control';
import { blankForm, type Filling, FLAG, readForm } from '#core/filling';

/** One field, as somebody is filling it in. */
export type Step = List | Flag | Writing;

interface Base {
  field: Field;
  /** What was wrong with it when it was to be taken. */
  fault?: string;
}

/** Choose one of these, or several. */
export interface List extends Base {
  kind: 'list';
  isMany: boolean;
  options: readonly Option[];
  /** Which of the rows that are left by the filter. */
  at: number;
  /** Only what has this in it is shown; not there while nobody filters. */
  filter?: string | undefined;
  picked: readonly string[];
  isOther: boolean;
  other: Editor;
  /** The line for “Other” is open. */
  isWriting: boolean;
}

/** Two buttons, side by side. */
export interface Flag extends Base {
  kind: 'flag';
  choices: readonly string[];
  at: number;
}

export interface Writing extends Base {
  kind: 'writing';
  editor: Editor;
}

/** For leaving a choice unmade where one may. */
export const SKIP = 'Leave it empty';

export function stepOf(field: Field, { confirms }: Pick<Question, 'confirms'>): Step {
  const control = controlOf(field);
  const filling = blankForm([field])[field.key] as Filling;
  if (confirms && control.kind === 'one' && control.options.length === 2 && !field.allowOther)
    return confirmation(field, control.options);
  switch (control.kind) {
    case 'one':
    case 'many':
      return list(field, control, filling);
    case 'flag':
      return flag(field, filling);
    default:
      return writing(field, control, filling);
  }
}

/** Nothing but a deliberate act confirms: it starts on the "no". */
function confirmation(field: Field, options: readonly Option[]): Flag {
  return { kind: 'flag', field, choices: options.map(({ label }) => label), at: 1 };
}

function flag(field: Field, { picked }: Filling): Flag {
  const choices = [FLAG.yes, FLAG.no, ...(field.required ? [] : [SKIP])];
  return { kind: 'flag', field, choices, at: Math.max(0, choices.indexOf(picked[0] ?? '')) };
}

function list(field: Field, control: Extract<Control, { options: Option[] }>, filling: Filling): List {
  const { options } = control;
  const { picked, isOther, other } = filling;
  const [first] = picked;
  const chosen = options.findIndex(({ label }) => label === first);
  const at = isOther && picked.length === 0 ? options.length : Math.max(0, chosen);
  const isMany = control.kind === 'many';
  return {
    kind: 'list',
    field,
    isMany,
    options,
    at,
    picked,
    isOther,
    other: editorOf(other),
    isWriting: false,
  };
}

function writing(field: Field, control: Control, { text }: Filling): Writing {
  const shown = isMoment(control) ? asWritten(text) : text;
  return { kind: 'writing', field, editor: editorOf(shown, control.kind === 'text') };
}

export function isMoment(control: Control): boolean {
  return control.kind === 'line' && control.type === 'datetime-local';
}

/** As the web app holds it, so that both read it the same way. */
export function fillingOf(step: Step): Filling {
  const none = { picked: [], isOther: false, other: '', text: '' };
  switch (step.kind) {
    case 'list':
      return { ...none, picked: [...step.picked], isOther: step.isOther, other: step.other.text };
    case 'flag': {
      const label = step.choices[step.at] ?? '';
      return label === SKIP && !step.field.required ? none : { ...none, picked: [label] };
    }
    case 'writing': {
      const { text } = step.editor;
      return { ...none, text: isMoment(controlOf(step.field)) ? momentIn(text) : text };
    }
  }
}

/** Nothing where it was left empty, as it may be. */
export type Taken = { ok: true; value: Value | undefined } | { ok: false; fault: string };

/** What was filled in, if it will do: by the very check that the server makes. */
export function take(step: Step): Taken {
  const { field } = step;
  const read = readForm([field], { [field.key]: fillingOf(step) });
  if (!read.ok) return { ok: false, fault: read.faults[field.key] ?? '' };
  const odd =
    step.kind === 'writing' && isMoment(controlOf(field)) ? momentFault(step.editor.text) : undefined;
  if (odd) return { ok: false, fault: odd };
  const value = read.answers[field.key];
  const fault = value === undefined ? undefined : checkValue(field, value);
  return fault ? { ok: false, fault: sentence(fault.message) } : { ok: true, value };
}

export function sentence(text: string): string {
  const said = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(said) ? said : `${said}.`;
}

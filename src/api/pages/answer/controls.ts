import type { QuestionField, QuestionOption } from '#contract/question';
import { describeSchema } from '#core/schema/validate-value';
import { type Html, type HtmlPart, html } from '#infra/html';
import { INPUT_TYPE_BY_FORMAT, optionsFromLabels, type TextInputType } from '#presentation/field-control';
import { BOOLEAN_LABELS, type FieldInput } from '#presentation/form-state';
import { renderQuoted } from './page';
import { normalizeControlValue, OTHER_FIELD, otherFieldName } from './parse-form';

export interface FieldRenderState {
  filling: FieldInput;
  fault: string | undefined;
  now: number;
}

/** One field with its label, what is wrong with it, and its control. */
export function renderField(field: QuestionField, state: FieldRenderState): Html {
  const control = htmlControlFor(field);
  if (control.kind === 'flag') {
    const options = [{ label: BOOLEAN_LABELS.yes }, { label: BOOLEAN_LABELS.no }];
    return group(field, state, renderChoices(field, 'one', options, state.filling, false));
  }
  if ((control.kind === 'one' || control.kind === 'many') && !control.isMenu)
    return group(field, state, renderChoices(field, control.kind, control.options, state.filling, control.hasOther));
  return html`<div class="field${state.fault && ' wrong'}">
<label class="question" for="${field.key}">${question(field)}</label>
${notes(field, state)}
${single(field, state)}
</div>`;
}

function group(field: QuestionField, state: FieldRenderState, control: Html): Html {
  return html`<fieldset class="field${state.fault && ' wrong'}"${describedBy(field, state)}>
<legend class="question">${question(field)}</legend>
${notes(field, state)}
${control}
</fieldset>`;
}

function question(field: QuestionField): HtmlPart {
  const header = fieldHeader(field);
  return [
    header && html`<span class="header" dir="auto">${header}</span> `,
    html`<span dir="auto">${field.question}</span>`,
  ];
}

function notes(field: QuestionField, { fault, now }: FieldRenderState): HtmlPart {
  const hint = fieldHint(field, now);
  return [
    hint && html`<p class="hint" id="${field.key}-hint">${renderQuoted(hint)}</p>`,
    fault &&
      html`<p class="fault" id="${field.key}-fault"><span class="unseen">Error: </span>${renderQuoted(fault)}</p>`,
  ];
}

function describedBy(field: QuestionField, { fault, now }: FieldRenderState): HtmlPart {
  const ids = [fault && `${field.key}-fault`, fieldHint(field, now) && `${field.key}-hint`].filter(Boolean);
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`;
}

function single(field: QuestionField, state: FieldRenderState): Html {
  const control = htmlControlFor(field);
  const { filling, fault } = state;
  const same = html`id="${field.key}" name="${field.key}"${describedBy(field, state)}${fault && html` aria-invalid="true"`}`;
  switch (control.kind) {
    case 'one':
      return renderMenu(same, control.options, filling);
    case 'number':
      return html`<input ${same} type="text" inputmode="${control.keyboard}" autocomplete="off" value="${filling.text}">`;
    case 'line': {
      const isMoment = control.type === 'datetime-local';
      const value = isMoment ? normalizeControlValue(filling.text) : filling.text;
      return html`<input ${same} type="${control.type}"${isMoment && html` step="1"`} autocomplete="off" dir="auto" value="${value}">`;
    }
    default:
      return html`<textarea ${same} rows="4" dir="auto">${renderLine(filling.text)}</textarea>`;
  }
}

/** HTML drops a first line end. */
export function renderLine(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text;
}

/** What a field is answered with: its options decide, else its schema, else it is free text. */
export type HtmlControl =
  | { kind: 'one' | 'many'; options: QuestionOption[]; hasOther: boolean; isMenu: boolean }
  | { kind: 'flag' }
  | { kind: 'number'; keyboard: 'decimal' | 'text' }
  | { kind: 'line'; type: TextInputType }
  | { kind: 'text' };

/** More than that, with nothing said of each, and a list to open serves better than a long way to scroll. */
const MENU_FROM = 9;
/** Up to that many characters fit on a line. */
const LINE = 80;

export function htmlControlFor({ options, multiSelect, allowOther, schema }: QuestionField): HtmlControl {
  if (options) return choice(multiSelect, options, allowOther);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'number':
    case 'integer':
      // Keyboards of phones that show digits have no minus.
      return { kind: 'number', keyboard: (schema.minimum ?? -1) >= 0 ? 'decimal' : 'text' };
    case 'array':
      return choice(true, optionsFromLabels(schema.items.enum), false);
    case 'string':
      if (schema.enum) return choice(false, optionsFromLabels(schema.enum), false);
      if (schema.format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[schema.format] };
      return (schema.maxLength ?? LINE + 1) <= LINE ? { kind: 'line', type: 'text' } : { kind: 'text' };
    default:
      return { kind: 'text' };
  }
}

function choice(isMany: boolean, options: QuestionOption[], hasOther: boolean): HtmlControl {
  const isPlain = options.every(({ description }) => !description);
  const isMenu = !isMany && !hasOther && isPlain && options.length >= MENU_FROM;
  return { kind: isMany ? 'many' : 'one', options, hasOther, isMenu };
}

const ANY = 'Choose any that apply.';

/** What it has to be, where the control does not show it. */
function fieldHint(field: QuestionField, now: number): string | undefined {
  const { schema, multiSelect, options } = field;
  if (options) return multiSelect ? ANY : undefined;
  if (!schema || schema.type === 'boolean') return undefined;
  if (schema.type === 'string' && schema.enum) return undefined;
  if (schema.type === 'array' && !schema.minItems && !schema.maxItems) return ANY;
  const words = `${asSentence(describeSchema(schema))}.`;
  const isMoment = schema.type === 'string' && schema.format === 'date-time';
  return isMoment ? `${words} In UTC, where it is now ${new Date(now).toISOString().slice(11, 16)}.` : words;
}

export function asSentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const TYPES = { one: 'radio', many: 'checkbox' };

/** The first has the field's own id: that is where its fault leads to. */
function renderChoices(
  field: QuestionField,
  kind: 'one' | 'many',
  options: QuestionOption[],
  filling: FieldInput,
  hasOther: boolean,
): Html {
  return html`<div class="choices">
${options.map(
  (option, at) => html`<label class="choice">
<input type="${TYPES[kind]}" name="${field.key}" value="${option.label}"${at === 0 && html` id="${field.key}"`}${filling.picked.includes(option.label) && ' checked'}>
<span class="words"><span class="name" dir="auto">${option.label}</span>${option.description && html` <span class="description" dir="auto">${option.description}</span>`}</span>
</label>`,
)}
${hasOther && other(field, kind, filling)}
</div>`;
}

function other(field: QuestionField, kind: 'one' | 'many', { isOther, other: text }: FieldInput): Html {
  return html`<div class="choice other">
<label class="pick"><input type="${TYPES[kind]}" name="${field.key}" value="${OTHER_FIELD}"${isOther && ' checked'}>
<span class="name">Other</span></label>
<input type="text" name="${otherFieldName(field)}" value="${text}" autocomplete="off" dir="auto" placeholder="In your own words" aria-label="Other, in your own words">
</div>`;
}

function renderMenu(attributes: Html, options: QuestionOption[], { picked }: FieldInput): Html {
  return html`<select ${attributes}>
<option value="">Choose…</option>
${options.map(({ label }) => html`<option value="${label}"${picked.includes(label) && ' selected'}>${label}</option>`)}
</select>`;
}

/** The label that the agent gave a field; one that only counts says nothing. */
export function fieldHeader({ header }: QuestionField): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
}

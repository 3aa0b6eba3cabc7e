import type { QuestionField, QuestionOption } from '#contract/question';
import { describeSchema } from '#core/schema/validate-value';
import { type Html, type HtmlPart, html } from '#infra/html';
import { INPUT_TYPE_BY_FORMAT, optionsFromLabels, type TextInputType } from '#presentation/field-control';
import { BOOLEAN_LABELS, type FieldInput } from '#presentation/form-state';
import { renderQuoted } from './page';
import { normalizeControlValue, OTHER_FIELD, otherFieldName } from './parse-form';

export interface FieldRenderState {
  input: FieldInput;
  error: string | undefined;
  now: number;
}

/** One field with its label, what is wrong with it, and its control. */
export function renderField(field: QuestionField, state: FieldRenderState): Html {
  const control = htmlControlFor(field);
  if (control.kind === 'flag') {
    const options = [{ label: BOOLEAN_LABELS.yes }, { label: BOOLEAN_LABELS.no }];
    return renderGroup(field, state, renderChoices(field, 'one', options, state.input, false));
  }
  if ((control.kind === 'one' || control.kind === 'many') && !control.isMenu)
    return renderGroup(
      field,
      state,
      renderChoices(field, control.kind, control.options, state.input, control.hasOther),
    );
  return html`<div class="field${state.error && ' wrong'}">
<label class="question" for="${field.key}">${renderQuestionText(field)}</label>
${renderNotes(field, state)}
${renderSingle(field, state)}
</div>`;
}

function renderGroup(field: QuestionField, state: FieldRenderState, control: Html): Html {
  return html`<fieldset class="field${state.error && ' wrong'}"${describedBy(field, state)}>
<legend class="question">${renderQuestionText(field)}</legend>
${renderNotes(field, state)}
${control}
</fieldset>`;
}

function renderQuestionText(field: QuestionField): HtmlPart {
  const header = fieldHeader(field);
  return [
    header && html`<span class="header" dir="auto">${header}</span> `,
    html`<span dir="auto">${field.question}</span>`,
  ];
}

function renderNotes(field: QuestionField, { error, now }: FieldRenderState): HtmlPart {
  const hint = fieldHint(field, now);
  return [
    hint && html`<p class="hint" id="${field.key}-hint">${renderQuoted(hint)}</p>`,
    error &&
      html`<p class="fault" id="${field.key}-fault"><span class="unseen">Error: </span>${renderQuoted(error)}</p>`,
  ];
}

function describedBy(field: QuestionField, { error, now }: FieldRenderState): HtmlPart {
  const ids = [error && `${field.key}-fault`, fieldHint(field, now) && `${field.key}-hint`].filter(Boolean);
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`;
}

function renderSingle(field: QuestionField, state: FieldRenderState): Html {
  const control = htmlControlFor(field);
  const { input, error } = state;
  const attributes = html`id="${field.key}" name="${field.key}"${describedBy(field, state)}${error && html` aria-invalid="true"`}`;
  switch (control.kind) {
    case 'one':
      return renderMenu(attributes, control.options, input);
    case 'number':
      return html`<input ${attributes} type="text" inputmode="${control.keyboard}" autocomplete="off" value="${input.text}">`;
    case 'line': {
      const isDateTime = control.type === 'datetime-local';
      const value = isDateTime ? normalizeControlValue(input.text) : input.text;
      return html`<input ${attributes} type="${control.type}"${isDateTime && html` step="1"`} autocomplete="off" dir="auto" value="${value}">`;
    }
    default:
      return html`<textarea ${attributes} rows="4" dir="auto">${renderLine(input.text)}</textarea>`;
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
const MENU_MIN_OPTIONS = 9;
/** Up to that many characters fit on a line. */
const MAX_LINE_LENGTH = 80;

export function htmlControlFor({ options, multiSelect, allowOther, schema }: QuestionField): HtmlControl {
  if (options) return choiceControl(multiSelect, options, allowOther);
  switch (schema?.type) {
    case 'boolean':
      return { kind: 'flag' };
    case 'number':
    case 'integer':
      // Keyboards of phones that show digits have no minus.
      return { kind: 'number', keyboard: (schema.minimum ?? -1) >= 0 ? 'decimal' : 'text' };
    case 'array':
      return choiceControl(true, optionsFromLabels(schema.items.enum), false);
    case 'string':
      if (schema.enum) return choiceControl(false, optionsFromLabels(schema.enum), false);
      if (schema.format) return { kind: 'line', type: INPUT_TYPE_BY_FORMAT[schema.format] };
      return (schema.maxLength ?? MAX_LINE_LENGTH + 1) <= MAX_LINE_LENGTH
        ? { kind: 'line', type: 'text' }
        : { kind: 'text' };
    default:
      return { kind: 'text' };
  }
}

function choiceControl(isMany: boolean, options: QuestionOption[], hasOther: boolean): HtmlControl {
  const isPlain = options.every(({ description }) => !description);
  const isMenu = !isMany && !hasOther && isPlain && options.length >= MENU_MIN_OPTIONS;
  return { kind: isMany ? 'many' : 'one', options, hasOther, isMenu };
}

const CHOOSE_ANY = 'Choose any that apply.';

/** What it has to be, where the control does not show it. */
function fieldHint(field: QuestionField, now: number): string | undefined {
  const { schema, multiSelect, options } = field;
  if (options) return multiSelect ? CHOOSE_ANY : undefined;
  if (!schema || schema.type === 'boolean') return undefined;
  if (schema.type === 'string' && schema.enum) return undefined;
  if (schema.type === 'array' && !schema.minItems && !schema.maxItems) return CHOOSE_ANY;
  const text = `${asSentence(describeSchema(schema))}.`;
  const isDateTime = schema.type === 'string' && schema.format === 'date-time';
  return isDateTime ? `${text} In UTC, where it is now ${new Date(now).toISOString().slice(11, 16)}.` : text;
}

export function asSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const INPUT_TYPES = { one: 'radio', many: 'checkbox' };

/** The first has the field's own id: that is where its error leads to. */
function renderChoices(
  field: QuestionField,
  kind: 'one' | 'many',
  options: QuestionOption[],
  input: FieldInput,
  hasOther: boolean,
): Html {
  return html`<div class="choices">
${options.map(
  (option, index) => html`<label class="choice">
<input type="${INPUT_TYPES[kind]}" name="${field.key}" value="${option.label}"${index === 0 && html` id="${field.key}"`}${input.picked.includes(option.label) && ' checked'}>
<span class="words"><span class="name" dir="auto">${option.label}</span>${option.description && html` <span class="description" dir="auto">${option.description}</span>`}</span>
</label>`,
)}
${hasOther && renderOther(field, kind, input)}
</div>`;
}

function renderOther(field: QuestionField, kind: 'one' | 'many', { isOther, other: text }: FieldInput): Html {
  return html`<div class="choice other">
<label class="pick"><input type="${INPUT_TYPES[kind]}" name="${field.key}" value="${OTHER_FIELD}"${isOther && ' checked'}>
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

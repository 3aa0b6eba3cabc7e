import type { QuestionField, QuestionOption } from '#contract/question';
import { type Html, type HtmlPart, html } from '#infra/html';
import { chooseControl, describeBrowserRequirement, type FieldControlSpec } from '#presentation/field-control';
import { type FieldInput, toDateTimeInput } from '#presentation/form-state';
import { renderQuoted } from './page';
import { OTHER_FIELD, otherFieldName } from './parse-form';

export interface FieldRenderState {
  input: FieldInput;
  error: string | undefined;
  now: number;
}

export function renderField(field: QuestionField, state: FieldRenderState): Html {
  const control = chooseControl(field);
  if ('options' in control && !isMenu(control)) return renderGroup(field, state, renderChoices(field, control, state));
  return html`<div class="field${state.error && ' wrong'}">
<label class="question" for="${field.key}">${renderQuestionText(field)}</label>
${renderNotes(field, state)}
${renderSingle(field, state)}
</div>`;
}

type ChoiceControl = Extract<FieldControlSpec, { options: unknown }>;

/** Returns whether the choices are a menu, which has no room for free text. */
function isMenu(control: ChoiceControl): boolean {
  return control.kind !== 'flag' && control.isMenu && !control.hasOther;
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
      html`<p class="error" id="${field.key}-error"><span class="unseen">Error: </span>${renderQuoted(error)}</p>`,
  ];
}

function describedBy(field: QuestionField, { error, now }: FieldRenderState): HtmlPart {
  const ids = [error && `${field.key}-error`, fieldHint(field, now) && `${field.key}-hint`].filter(Boolean);
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`;
}

function renderSingle(field: QuestionField, state: FieldRenderState): Html {
  const control = chooseControl(field);
  const { input, error } = state;
  const attributes = html`id="${field.key}" name="${field.key}"${describedBy(field, state)}${error && html` aria-invalid="true"`}`;
  switch (control.kind) {
    case 'one':
      return renderMenu(attributes, control.options, input);
    case 'number':
      return html`<input ${attributes} type="text" inputmode="${control.inputMode}" autocomplete="off" value="${input.text}">`;
    case 'line': {
      const isDateTime = control.type === 'datetime-local';
      const value = isDateTime ? toDateTimeInput(input.text, 'utc') : input.text;
      return html`<input ${attributes} type="${control.type}"${isDateTime && html` step="1"`} autocomplete="off" dir="auto" value="${value}">`;
    }
    default:
      return html`<textarea ${attributes} rows="4" dir="auto">${renderLine(input.text)}</textarea>`;
  }
}

/** Doubles a leading line break, since HTML drops the first one. */
export function renderLine(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text;
}

/** Returns what the value must be, if the control does not show it. */
function fieldHint(field: QuestionField, now: number): string | undefined {
  const control = chooseControl(field);
  const isDateTime = control.kind === 'line' && control.type === 'datetime-local';
  return isDateTime ? `In UTC (now ${new Date(now).toISOString().slice(11, 16)}).` : describeBrowserRequirement(field);
}

const INPUT_TYPES = { one: 'radio', flag: 'radio', many: 'checkbox' };

/** The first choice has the field's own id, so that the error summary can link to it. */
function renderChoices(field: QuestionField, control: ChoiceControl, { input }: FieldRenderState): Html {
  const { kind, options } = control;
  return html`<div class="choices">
${options.map(
  (option, index) => html`<label class="choice">
<input type="${INPUT_TYPES[kind]}" name="${field.key}" value="${option.label}"${index === 0 && html` id="${field.key}"`}${input.picked.includes(option.label) && ' checked'}>
<span class="words"><span class="name" dir="auto">${option.label}</span>${option.description && html` <span class="description" dir="auto">${option.description}</span>`}</span>
</label>`,
)}
${control.kind !== 'flag' && control.hasOther && renderOther(field, control.kind, input)}
</div>`;
}

function renderOther(field: QuestionField, kind: 'one' | 'many', { isOther, other: text }: FieldInput): Html {
  return html`<div class="choice other">
<label class="pick"><input type="${INPUT_TYPES[kind]}" name="${field.key}" value="${OTHER_FIELD}"${isOther && ' checked'}>
<span class="name">Other</span></label>
<input type="text" name="${otherFieldName(field)}" value="${text}" autocomplete="off" dir="auto" placeholder="Your own answer" aria-label="Other: your own answer">
</div>`;
}

function renderMenu(attributes: Html, options: QuestionOption[], { picked }: FieldInput): Html {
  return html`<select ${attributes}>
<option value="">Choose one</option>
${options.map(({ label }) => html`<option value="${label}"${picked.includes(label) && ' selected'}>${label}</option>`)}
</select>`;
}

/** Returns the label that the agent gave a field; undefined for a default one such as "Question 1". */
export function fieldHeader({ header }: QuestionField): string | undefined {
  return /^Question \d+$/.test(header) ? undefined : header;
}

import { type Html, html, type Part } from '#api/docs/html';
import type { QuestionField } from '#contract/question';
import { BOOLEAN_LABELS, type FieldInput } from '#presentation/form-state';
import { choices, menu } from './choices';
import { controlOf, hintOf } from './control';
import { said } from './page';
import { asControlled } from './reading-form';
import { headerOf } from './words';

export interface FieldState {
  filling: FieldInput;
  fault: string | undefined;
  now: number;
}

/** One field with its label, what is wrong with it, and its control. */
export function fieldOf(field: QuestionField, state: FieldState): Html {
  const control = controlOf(field);
  if (control.kind === 'flag') {
    const options = [{ label: BOOLEAN_LABELS.yes }, { label: BOOLEAN_LABELS.no }];
    return group(field, state, choices(field, 'one', options, state.filling, false));
  }
  if ((control.kind === 'one' || control.kind === 'many') && !control.isMenu)
    return group(field, state, choices(field, control.kind, control.options, state.filling, control.hasOther));
  return html`<div class="field${state.fault && ' wrong'}">
<label class="question" for="${field.key}">${question(field)}</label>
${notes(field, state)}
${single(field, state)}
</div>`;
}

function group(field: QuestionField, state: FieldState, control: Html): Html {
  return html`<fieldset class="field${state.fault && ' wrong'}"${describedBy(field, state)}>
<legend class="question">${question(field)}</legend>
${notes(field, state)}
${control}
</fieldset>`;
}

function question(field: QuestionField): Part {
  const header = headerOf(field);
  return [
    header && html`<span class="header" dir="auto">${header}</span> `,
    html`<span dir="auto">${field.question}</span>`,
  ];
}

function notes(field: QuestionField, { fault, now }: FieldState): Part {
  const hint = hintOf(field, now);
  return [
    hint && html`<p class="hint" id="${field.key}-hint">${said(hint)}</p>`,
    fault && html`<p class="fault" id="${field.key}-fault"><span class="unseen">Error: </span>${said(fault)}</p>`,
  ];
}

function describedBy(field: QuestionField, { fault, now }: FieldState): Part {
  const ids = [fault && `${field.key}-fault`, hintOf(field, now) && `${field.key}-hint`].filter(Boolean);
  return ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`;
}

function single(field: QuestionField, state: FieldState): Html {
  const control = controlOf(field);
  const { filling, fault } = state;
  const same = html`id="${field.key}" name="${field.key}"${describedBy(field, state)}${fault && html` aria-invalid="true"`}`;
  switch (control.kind) {
    case 'one':
      return menu(same, control.options, filling);
    case 'number':
      return html`<input ${same} type="text" inputmode="${control.keyboard}" autocomplete="off" value="${filling.text}">`;
    case 'line': {
      const isMoment = control.type === 'datetime-local';
      const value = isMoment ? asControlled(filling.text) : filling.text;
      return html`<input ${same} type="${control.type}"${isMoment && html` step="1"`} autocomplete="off" dir="auto" value="${value}">`;
    }
    default:
      return html`<textarea ${same} rows="4" dir="auto">${line(filling.text)}</textarea>`;
  }
}

/** HTML drops a first line end. */
export function line(text: string): string {
  return text.startsWith('\n') ? `\n${text}` : text;
}

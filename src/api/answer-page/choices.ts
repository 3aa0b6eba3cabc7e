import { type Html, html } from '#api/docs/html';
import type { QuestionField, QuestionOption } from '#contract/question';
import type { FieldInput } from '#presentation/form-state';
import { OTHER, otherOf } from './filling';

const TYPES = { one: 'radio', many: 'checkbox' };

/** The first has the field's own id: that is where its fault leads to. */
export function choices(
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
<label class="pick"><input type="${TYPES[kind]}" name="${field.key}" value="${OTHER}"${isOther && ' checked'}>
<span class="name">Other</span></label>
<input type="text" name="${otherOf(field)}" value="${text}" autocomplete="off" dir="auto" placeholder="In your own words" aria-label="Other, in your own words">
</div>`;
}

export function menu(attributes: Html, options: QuestionOption[], { picked }: FieldInput): Html {
  return html`<select ${attributes}>
<option value="">Choose…</option>
${options.map(({ label }) => html`<option value="${label}"${picked.includes(label) && ' selected'}>${label}</option>`)}
</select>`;
}

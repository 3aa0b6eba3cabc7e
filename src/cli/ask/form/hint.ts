import { zone } from '#cli/ask/moment';
import { controlOf } from '#core/control';
import { wordsFor } from '#core/value-schema';
import { isMoment, type List, type Step, sentence, take, type Writing } from './step';

/** Said quietly while it is not done yet: what it has to be, and how far it is. */
export function hintOf(step: Step): string | undefined {
  switch (step.kind) {
    case 'list':
      return step.isMany ? chosen(step) : undefined;
    case 'flag':
      return undefined;
    case 'writing':
      return writingHint(step);
  }
}

function chosen({ field, picked, isOther }: List): string {
  const count = picked.length + (isOther ? 1 : 0);
  const limits = field.schema ? sentence(wordsFor(field.schema)) : '';
  return [`${count || 'None'} chosen.`, limits].filter(Boolean).join(' ');
}

function writingHint(step: Writing): string | undefined {
  const { field, editor } = step;
  const words = wordsOf(step);
  if (editor.text.trim() === '') return field.required ? words : `${words ?? ''} May be left empty.`.trim();
  const taken = take(step);
  if (isMoment(controlOf(field))) return words;
  return taken.ok ? undefined : taken.fault;
}

/** What it has to be, where it has to be something. */
function wordsOf({ field }: Writing): string | undefined {
  if (isMoment(controlOf(field)))
    return `A date and time, such as 2026-11-16 09:30, in your time (${zone()}).`;
  const { schema } = field;
  if (!schema) return undefined;
  const words = wordsFor(schema);
  return words === 'text' ? undefined : sentence(words);
}

import { draw } from '#cli/ask/form/draw';
import { formOf } from '#cli/ask/form/form';
import { type Pressed, press } from '#cli/ask/form/press';
import { type Key, keyOf } from '#cli/screen/key';
import { styleFor } from '#cli/text/style';
import type { Field, Question } from '#contract/question';

export const NOW = Date.parse('2026-11-16T09:00:00Z');

export function fieldOf(more: Partial<Field> = {}): Field {
  return {
    key: 'q1',
    header: 'Database',
    question: 'Which database?',
    multiSelect: false,
    allowOther: false,
    required: true,
    ...more,
  };
}

export function questionOf(fields: Partial<Field>[], more: Partial<Question> = {}): Question {
  return {
    id: 'question-1',
    conversationId: 'conv-1',
    agent: 'assistant',
    origin: ['assistant'],
    status: 'pending',
    context: null,
    fields: fields.map((field, index) => fieldOf({ key: `q${index + 1}`, ...field })),
    askedAt: '2026-11-16T08:00:00Z',
    expiresAt: null,
    onTimeout: 'wait',
    notices: [],
    outcome: null,
    ...more,
  };
}

export const options = (...labels: string[]) => labels.map((label) => ({ label }));

/** A key by its name as in `C-x`, `M-b`, `S-tab`, or a character. */
export function key(written: string): Key {
  const [, ctrl, meta, shift, name = ''] = /^(C-)?(M-)?(S-)?(.+)$/su.exec(written) ?? [];
  const isText = [...name].length === 1 && !ctrl && !meta;
  const held = { ctrl: Boolean(ctrl), meta: Boolean(meta), shift: Boolean(shift) };
  if (isText) return keyOf(name, { name: name === ' ' ? 'space' : name.toLowerCase(), ...held });
  return keyOf(undefined, { name, ...held });
}

/** Presses these one after the other; the last one tells. */
export function having(question: Question, ...keys: (string | Key)[]): Pressed {
  return keys.reduce<Pressed>(({ form }, one) => press(form, typeof one === 'string' ? key(one) : one), {
    form: formOf(question),
  });
}

/** What is to be seen then, without colours. */
export function seen({ form }: Pressed, width = 80, height = 30): string {
  const style = { ...styleFor(false), inverse: (text: string) => `[${text}]` };
  return draw(form, { width, height, style, now: NOW }).join('\n');
}

export const typed = (text: string) => [...text];

import { createPromptForm } from '#cli/prompt/form/form-state';
import { type FormKeyResult, handleFormKey } from '#cli/prompt/form/keys';
import { renderForm } from '#cli/prompt/form/render';
import { createTextStyle } from '#cli/render/colors';
import { type KeyPress, toKeyPress } from '#cli/tty/keyboard';
import type { Question, QuestionField } from '#contract/question';

export const FIXTURE_NOW = Date.parse('2026-11-16T09:00:00Z');

export function buildField(more: Partial<QuestionField> = {}): QuestionField {
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

export function questionFixture(fields: Partial<QuestionField>[], more: Partial<Question> = {}): Question {
  return {
    id: 'question-1',
    conversationId: 'conv-1',
    agent: 'assistant',
    origin: ['assistant'],
    status: 'pending',
    context: null,
    fields: fields.map((field, index) => buildField({ key: `q${index + 1}`, ...field })),
    askedAt: '2026-11-16T08:00:00Z',
    expiresAt: null,
    onTimeout: 'wait',
    notices: [],
    outcome: null,
    ...more,
  };
}

export const buildOptions = (...labels: string[]) => labels.map((label) => ({ label }));

/** Returns the key press for a notation such as `C-x`, `M-b`, `S-tab`, or a character. */
export function keyNamed(notation: string): KeyPress {
  const [, ctrl, meta, shift, name = ''] = /^(C-)?(M-)?(S-)?(.+)$/su.exec(notation) ?? [];
  const isText = [...name].length === 1 && !ctrl && !meta;
  const held = { ctrl: Boolean(ctrl), meta: Boolean(meta), shift: Boolean(shift) };
  if (isText) return toKeyPress(name, { name: name === ' ' ? 'space' : name.toLowerCase(), ...held });
  return toKeyPress(undefined, { name, ...held });
}

/** Presses the keys in order and returns the result of the last. */
export function pressKeys(question: Question, ...keys: (string | KeyPress)[]): FormKeyResult {
  return keys.reduce<FormKeyResult>(
    ({ form }, one) => handleFormKey(form, typeof one === 'string' ? keyNamed(one) : one),
    {
      form: createPromptForm(question),
    },
  );
}

/** Renders the form as text without colours. */
export function renderPressedForm({ form }: FormKeyResult, width = 80, height = 30): string {
  const style = { ...createTextStyle(false), inverse: (text: string) => `[${text}]` };
  return renderForm(form, { width, height, style, now: FIXTURE_NOW }).join('\n');
}

export const splitCharacters = (text: string) => [...text];

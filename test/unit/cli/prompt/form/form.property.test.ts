import fc from 'fast-check';
import { createPromptForm, type PromptForm } from '#cli/prompt/form/form-state';
import { handleFormKey } from '#cli/prompt/form/keys';
import { renderForm } from '#cli/prompt/form/render';
import { createTextEditor } from '#cli/prompt/form/text-editor';
import { createTextStyle } from '#cli/render/colors';
import { displayWidth } from '#cli/render/text';
import { type KeyPress, toPasteKeyPress } from '#cli/tty/keyboard';
import type { QuestionField } from '#contract/question';
import { FIXTURE_NOW, keyNamed, questionFixture } from '#test/support/cli/question-fixtures';

const NAMES = [
  ...['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'return', 'enter', 'escape', 'tab'],
  ...['S-tab', 'backspace', 'delete', 'f1', 'C-t', 'C-x', 'C-a', 'C-e', 'C-k', 'C-u', 'C-w', 'M-b', 'M-f'],
  ...['M-backspace', 'M-return', ' ', '/', '?', 'a', 'j', 'k', 'y', 'n', '1', '9'],
];
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const anyText = fc.oneof(
  text,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('日本語'.repeat(20), '👨‍👩‍👧'.repeat(10), 'x'.repeat(150), '\x1b[31m\u202e'),
);
const keys: fc.Arbitrary<KeyPress> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES).map(keyNamed) },
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 1 })
    .map((character) => ({ ...keyNamed('x'), name: '', text: character.replace(/\p{Cc}/gu, '') })),
  anyText.map(toPasteKeyPress),
);
const options = fc
  .uniqueArray(
    anyText.filter((label) => label.trim() !== ''),
    { minLength: 2, maxLength: 12 },
  )
  .chain((labels) =>
    fc.tuple(
      ...labels.map((label) =>
        fc.record({ label: fc.constant(label), description: anyText }, { requiredKeys: ['label'] }),
      ),
    ),
  );
const schema = fc.constantFrom<NonNullable<QuestionField['schema']>>(
  { type: 'boolean' },
  { type: 'integer', minimum: 1, maximum: 5 },
  { type: 'string', format: 'email' },
  { type: 'string', format: 'date-time' },
  { type: 'string', enum: ['a', 'b'] },
  { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 1, maxItems: 2 },
  { type: 'string', pattern: '^[a-z]+$', maxLength: 20 },
  { type: 'string', pattern: '^\x1b\\[2J\u202ea$' },
  { type: 'string', enum: ['a\x1b[2J', 'b\x07\u202e', 'c\u009b'] },
  { type: 'array', items: { enum: ['a\x1b[2J', 'b\x07'] }, minItems: 1 },
);
const field = fc.oneof(
  fc.record({
    header: anyText,
    question: anyText,
    options,
    multiSelect: fc.boolean(),
    allowOther: fc.boolean(),
    required: fc.boolean(),
  }),
  fc.record({ header: anyText, question: anyText, schema, required: fc.boolean() }),
  fc.record({ header: anyText, question: anyText, required: fc.boolean() }),
);
const questionArbitrary = fc
  .record({
    fields: fc.array(field, { minLength: 1, maxLength: 4 }),
    isDue: fc.boolean(),
    isConfirmed: fc.boolean(),
  })
  .map(({ fields, isDue, isConfirmed }) =>
    questionFixture(fields, {
      ...(isDue && { expiresAt: '2026-11-16T09:40:00Z', onTimeout: 'fail' }),
      ...(isConfirmed && { confirms: { tool: 'x', arguments: {}, digest: '' } }),
    }),
  );

it('a form never throws, exceeds the screen or prints control characters, for any keys', () => {
  const style = { ...createTextStyle(false), inverse: (shown: string) => shown };
  fc.assert(
    fc.property(
      questionArbitrary,
      fc.array(keys, { maxLength: 20 }),
      fc.integer({ min: 20, max: 90 }),
      fc.integer({ min: 8, max: 40 }),
      (question, pressedKeys, width, height) => {
        let form = createPromptForm(question);
        for (const key of pressedKeys) {
          form = handleFormKey(form, key).form;
          expectFit(renderForm(form, { width, height, style, now: FIXTURE_NOW }), width, height);
        }
        expectFit(renderForm(withReviewOpen(form), { width, height, style, now: FIXTURE_NOW }), width, height);
      },
    ),
    { numRuns: 100 },
  );
});

/** States that few keys lead to, with more than fits in every text. */
function withReviewOpen(form: PromptForm): PromptForm {
  const steps = form.steps.map((step) => (step.kind === 'text' ? { ...step, editor: createTextEditor('x') } : step));
  return { ...form, steps, overlay: undefined, stepIndex: steps.length };
}

function expectFit(lines: string[], width: number, height: number): void {
  expect(lines.length).toBeLessThan(height);
  expect(Math.max(...lines.map(displayWidth))).toBeLessThan(width);
  expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
}

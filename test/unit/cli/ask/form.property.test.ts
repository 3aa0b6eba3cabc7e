import fc from 'fast-check';
import { editorOf } from '#cli/ask/editor';
import { draw } from '#cli/ask/form/draw';
import { type Form, formOf } from '#cli/ask/form/form';
import { press } from '#cli/ask/form/press';
import { type Key, pasted } from '#cli/screen/key';
import { styleFor } from '#cli/text/style';
import { widthOf } from '#cli/text/wrap';
import type { Field } from '#contract/question';
import { key, NOW, questionOf } from '#test/support/cli/ask/questions';

const NAMES = [
  ...['up', 'down', 'left', 'right', 'home', 'end', 'pageup', 'pagedown', 'return', 'enter', 'escape', 'tab'],
  ...['S-tab', 'backspace', 'delete', 'f1', 'C-t', 'C-x', 'C-a', 'C-e', 'C-k', 'C-u', 'C-w', 'M-b', 'M-f'],
  ...['M-backspace', 'M-return', ' ', '/', '?', 'a', 'j', 'k', 'y', 'n', '1', '9'],
];
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const odd = fc.oneof(
  text,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('日本語'.repeat(20), '👨‍👩‍👧'.repeat(10), 'x'.repeat(150), '\x1b[31m\u202e'),
);
const keys: fc.Arbitrary<Key> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...NAMES).map(key) },
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 1 })
    .map((one) => ({ ...key('x'), name: '', text: one.replace(/\p{Cc}/gu, '') })),
  odd.map(pasted),
);
const options = fc
  .uniqueArray(
    odd.filter((label) => label.trim() !== ''),
    { minLength: 2, maxLength: 12 },
  )
  .chain((labels) =>
    fc.tuple(
      ...labels.map((label) =>
        fc.record({ label: fc.constant(label), description: odd }, { requiredKeys: ['label'] }),
      ),
    ),
  );
const schema = fc.constantFrom<NonNullable<Field['schema']>>(
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
    header: odd,
    question: odd,
    options,
    multiSelect: fc.boolean(),
    allowOther: fc.boolean(),
    required: fc.boolean(),
  }),
  fc.record({ header: odd, question: odd, schema, required: fc.boolean() }),
  fc.record({ header: odd, question: odd, required: fc.boolean() }),
);
const question = fc
  .record({
    fields: fc.array(field, { minLength: 1, maxLength: 4 }),
    isDue: fc.boolean(),
    isConfirmed: fc.boolean(),
  })
  .map(({ fields, isDue, isConfirmed }) =>
    questionOf(fields, {
      ...(isDue && { expiresAt: '2026-11-16T09:40:00Z', onTimeout: 'fail' }),
      ...(isConfirmed && { confirms: { tool: 'x', arguments: {}, digest: '' } }),
    }),
  );

it('never throws, is never wider or higher than the screen, and lets nothing through, whatever is pressed', () => {
  const style = { ...styleFor(false), inverse: (shown: string) => shown };
  fc.assert(
    fc.property(
      question,
      fc.array(keys, { maxLength: 20 }),
      fc.integer({ min: 20, max: 90 }),
      fc.integer({ min: 8, max: 40 }),
      (asked, pressed, width, height) => {
        let form = formOf(asked);
        for (const one of pressed) {
          form = press(form, one).form;
          expectFit(draw(form, { width, height, style, now: NOW }), width, height);
        }
        expectFit(draw(atReview(form), { width, height, style, now: NOW }), width, height);
      },
    ),
    { numRuns: 100 },
  );
});

/** Where few keys lead, with what does not fit in every text. */
function atReview(form: Form): Form {
  const steps = form.steps.map((step) =>
    step.kind === 'writing' ? { ...step, editor: editorOf('x') } : step,
  );
  return { ...form, steps, over: undefined, at: steps.length };
}

function expectFit(lines: string[], width: number, height: number): void {
  expect(lines.length).toBeLessThan(height);
  expect(Math.max(...lines.map(widthOf))).toBeLessThan(width);
  expect(lines.join('')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u);
}

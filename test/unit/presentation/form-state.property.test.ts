import fc from 'fast-check';
import { validateAnswer } from '#core/questions/validate-answer';
import { type FieldInput, parseForm, toDateTimeInput, toggleOption, toggleOther } from '#presentation/form-state';
import { questionWithFields, testField } from '#test/support/core/conversation-fixture';

const EMPTY: FieldInput = { picked: [], isOther: false, other: '', text: '' };
const ONE = testField({ options: [{ label: 'Red' }, { label: 'Blue' }] });
const MANY = { ...ONE, options: [...(ONE.options ?? []), { label: 'Green' }], multiSelect: true };
const FLAG = testField({ schema: { type: 'boolean' }, allowOther: false });
const NUMBER = testField({ schema: { type: 'number' }, allowOther: false });
const WHEN = testField({ schema: { type: 'string', format: 'date-time' }, allowOther: false });
const FREE = testField();

describe('for any', () => {
  const word = fc.oneof(fc.constantFrom('Red', 'Blue', 'Yes', '__proto__', '\u0000other', '12', ''), fc.string());
  const input = fc.record({ picked: fc.array(word), isOther: fc.boolean(), other: word, text: word });
  const fields = [ONE, MANY, FLAG, NUMBER, WHEN, FREE].map((field, index) => ({ ...field, key: `q${index + 1}` }));

  it('form, the input is parsed: to an answer or what is missing, for its own fields only', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7'), input), (form) => {
        const result = parseForm(fields, form);
        const keys = Object.keys(result.ok ? result.answers : result.issues);
        expect(fields.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
        for (const { text: written } of Object.values(form)) toDateTimeInput(written);
      }),
    );
  });

  it('choice that can be clicked, the result is valid', () => {
    const click = fc.oneof(fc.constantFrom('Red', 'Blue', 'Green'), fc.constant(undefined));
    fc.assert(
      fc.property(fc.constantFrom(ONE, MANY), fc.array(click), fc.string(), (field, clicks, written) => {
        const isMultiple = field.multiSelect;
        const options = field.options?.map(({ label }) => label) ?? [];
        const known = clicks.filter((label) => label === undefined || options.includes(label));
        const start: FieldInput = { ...EMPTY, other: written };
        const end = known.reduce<FieldInput>(
          (now, label) => (label === undefined ? toggleOther(now, isMultiple) : toggleOption(now, label, isMultiple)),
          start,
        );
        const result = parseForm([field], { q1: end });
        if (result.ok) expect(validateAnswer(questionWithFields(field), result)).toEqual(result);
      }),
    );
  });

  it('minute, a control shows it in local time and sends the same', () => {
    const minute = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2026, 1, 28) / 60_000 });
    fc.assert(
      fc.property(minute, (count) => {
        const time = new Date(count * 60_000).toISOString().replace('.000Z', 'Z');
        expect(toDateTimeInput(time)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
        expect(parseForm([WHEN], { q1: { ...EMPTY, text: toDateTimeInput(time) } })).toEqual({
          ok: true,
          answers: { q1: time },
        });
      }),
    );
  });
});

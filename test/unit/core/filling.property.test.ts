import fc from 'fast-check';
import { checkAnswer } from '#core/answers';
import { asLocal, type Filling, pick, pickOther, readForm } from '#core/filling';
import { field, questionOf } from '#test/support/core/given';

const EMPTY: Filling = { picked: [], isOther: false, other: '', text: '' };
const ONE = field({ options: [{ label: 'Red' }, { label: 'Blue' }] });
const MANY = { ...ONE, options: [...(ONE.options ?? []), { label: 'Green' }], multiSelect: true };
const FLAG = field({ schema: { type: 'boolean' }, allowOther: false });
const NUMBER = field({ schema: { type: 'number' }, allowOther: false });
const WHEN = field({ schema: { type: 'string', format: 'date-time' }, allowOther: false });
const FREE = field();

describe('whatever', () => {
  const word = fc.oneof(
    fc.constantFrom('Red', 'Blue', 'Yes', '__proto__', '\u0000other', '12', ''),
    fc.string(),
  );
  const filling = fc.record({ picked: fc.array(word), isOther: fc.boolean(), other: word, text: word });
  const fields = [ONE, MANY, FLAG, NUMBER, WHEN, FREE].map((of, index) => ({ ...of, key: `q${index + 1}` }));

  it('is in a form, it is read: an answer or what is missing, for its own fields only', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7'), filling),
        (form) => {
          const result = readForm(fields, form);
          const keys = Object.keys(result.ok ? result.answers : result.faults);
          expect(fields.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
          for (const { text: written } of Object.values(form)) asLocal(written);
        },
      ),
    );
  });

  it('is clicked, what a choice sends is taken', () => {
    const click = fc.oneof(fc.constantFrom('Red', 'Blue', 'Green'), fc.constant(undefined));
    fc.assert(
      fc.property(fc.constantFrom(ONE, MANY), fc.array(click), fc.string(), (of, clicks, written) => {
        const isMany = of.multiSelect;
        const options = of.options?.map(({ label }) => label) ?? [];
        const known = clicks.filter((label) => label === undefined || options.includes(label));
        const start: Filling = { ...EMPTY, other: written };
        const end = known.reduce<Filling>(
          (now, label) => (label === undefined ? pickOther(now, isMany) : pick(now, label, isMany)),
          start,
        );
        const result = readForm([of], { q1: end });
        if (result.ok) expect(checkAnswer(questionOf(of), result)).toEqual(result);
      }),
    );
  });

  it('the minute, a control shows it in the reader’s time and sends the same', () => {
    const minute = fc.integer({ min: Date.UTC(2026, 0, 1) / 60_000, max: Date.UTC(2026, 1, 28) / 60_000 });
    fc.assert(
      fc.property(minute, (count) => {
        const moment = new Date(count * 60_000).toISOString().replace('.000Z', 'Z');
        expect(asLocal(moment)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d$/);
        expect(readForm([WHEN], { q1: { ...EMPTY, text: asLocal(moment) } })).toEqual({
          ok: true,
          answers: { q1: moment },
        });
      }),
    );
  });
});

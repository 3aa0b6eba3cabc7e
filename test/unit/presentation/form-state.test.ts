import type { AnswerValue, QuestionField, ValueSchema } from '#contract/question';
import { validateAnswer } from '#core/questions/validate-answer';
import { chooseControl, describeBrowserRequirement, describeRequirement } from '#presentation/field-control';
import { createFormState, type FieldInput, isFieldFilled, parseForm } from '#presentation/form-state';
import { questionWithFields, testField } from '#test/support/core/conversation-fixture';

const EMPTY: FieldInput = { picked: [], isOther: false, other: '', text: '' };
const labels = (...names: string[]) => names.map((label) => ({ label }));
const choiceField = (...names: string[]) => testField({ options: labels(...names) });
const schemaField = (schema: ValueSchema) => testField({ schema, allowOther: false });
const text = (written: string): FieldInput => ({ ...EMPTY, text: written });
const picked = (...names: string[]): FieldInput => ({ ...EMPTY, picked: names });
const other = (written: string, ...names: string[]): FieldInput => ({
  ...EMPTY,
  picked: names,
  isOther: true,
  other: written,
});
const parseOne = (field: QuestionField, input: FieldInput) => parseForm([field], { q1: input });

const NINE = Array.from({ length: 9 }, (_, index) => `Choice ${index}`);
const FREE = testField();
const ONE = choiceField('Red', 'Blue');
const MANY = { ...choiceField('Red', 'Blue', 'Green'), multiSelect: true };
const FLAG = schemaField({ type: 'boolean' });
const NUMBER = schemaField({ type: 'number', minimum: 1, maximum: 10 });
const WHEN = schemaField({ type: 'string', format: 'date-time' });

describe('the control of a field is', () => {
  it.each<[string, QuestionField, object]>([
    ['a box for text', FREE, { kind: 'text' }],
    ['radios', ONE, { kind: 'one', isMenu: false }],
    ['a menu, if there are many', choiceField(...NINE), { kind: 'one', isMenu: true }],
    [
      'radios, if each of many has a description',
      testField({ options: NINE.map((label) => ({ label, description: 'So.' })) }),
      { kind: 'one', isMenu: false },
    ],
    ['checkboxes', MANY, { kind: 'many' }],
    ['yes and no', FLAG, { kind: 'flag' }],
    ['a number', NUMBER, { kind: 'number', inputMode: 'decimal' }],
    ['a whole number', schemaField({ type: 'integer', minimum: 3 }), { kind: 'number', inputMode: 'numeric' }],
    [
      'a number that may be negative, which numeric keyboards lack',
      schemaField({ type: 'integer' }),
      { kind: 'number', inputMode: 'text' },
    ],
    [
      'radios for an enum',
      schemaField({ type: 'string', enum: ['a', 'b'] }),
      { kind: 'one', options: labels('a', 'b') },
    ],
    [
      'checkboxes for a list',
      schemaField({ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, maxItems: 2 }),
      { kind: 'many', options: labels('a', 'b') },
    ],
    ['a line for short text', schemaField({ type: 'string', maxLength: 20 }), { kind: 'line', type: 'text' }],
    ['a box for long text', schemaField({ type: 'string', maxLength: 2_000 }), { kind: 'text', maxLength: 2_000 }],
    ['a line for an email address', schemaField({ type: 'string', format: 'email' }), { kind: 'line', type: 'email' }],
    ['a line for a web address', schemaField({ type: 'string', format: 'uri' }), { kind: 'line', type: 'url' }],
    ['a date', schemaField({ type: 'string', format: 'date' }), { kind: 'line', type: 'date' }],
    ['a date and time', WHEN, { kind: 'line', type: 'datetime-local' }],
  ])('%s', (_what, field, control) => {
    expect(chooseControl(field)).toMatchObject(control);
  });
});

describe('the hint of a field is', () => {
  it.each<[string | undefined, QuestionField]>([
    [undefined, FREE],
    [undefined, ONE],
    [undefined, FLAG],
    [undefined, schemaField({ type: 'string', enum: ['a'] })],
    [undefined, schemaField({ type: 'string' })],
    ['Select all that apply.', MANY],
    ['Select all that apply.', schemaField({ type: 'array', items: { enum: ['a', 'b'] } })],
    ['Choose exactly 2.', schemaField({ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2, maxItems: 2 })],
    ['A number from 1 to 10.', NUMBER],
    ['A whole number of at least 3.', schemaField({ type: 'integer', minimum: 3 })],
    ['Text of at most 20 characters.', schemaField({ type: 'string', maxLength: 20 })],
    ['Text that matches ^a.', schemaField({ type: 'string', pattern: '^a' })],
    ['A date and time.', WHEN],
  ])('%s', (requirement, field) => {
    expect(describeRequirement(field)).toBe(requirement);
  });
});

describe('the input of a field', () => {
  it.each<[string, QuestionField, FieldInput, AnswerValue]>([
    ['text as it was typed', FREE, text(' As I like '), ' As I like '],
    ['a label', ONE, picked('Blue'), 'Blue'],
    ['a custom answer', ONE, other('Teal'), { other: 'Teal' }],
    ['labels in the order they were offered', MANY, picked('Green', 'Red'), ['Red', 'Green']],
    ['labels and a custom answer', MANY, other('Teal', 'Blue'), ['Blue', { other: 'Teal' }]],
    ['yes', FLAG, picked('Yes'), true],
    ['no', FLAG, picked('No'), false],
    ['a number', NUMBER, text(' 2.50 '), 2.5],
    [
      'an address without surrounding white space',
      schemaField({ type: 'string', format: 'email' }),
      text(' ada@example.org '),
      'ada@example.org',
    ],
    ['a date and time unchanged', WHEN, text('2026-11-16T09:30:00Z'), '2026-11-16T09:30:00Z'],
    ['nothing, if a text may be empty', schemaField({ type: 'string', minLength: 0 }), EMPTY, ''],
    ['none, if none is required', schemaField({ type: 'array', items: { enum: ['a'] }, minItems: 0 }), EMPTY, []],
  ])('is sent as %s, and is valid', (_what, field, input, value) => {
    expect(parseOne(field, input)).toEqual({ ok: true, answers: { q1: value } });
    expect(validateAnswer(questionWithFields(field), { answers: { q1: value } }).ok).toBe(true);
  });

  it.each<[string, QuestionField, FieldInput, string]>([
    ['no text', FREE, text(' '), 'Enter an answer.'],
    ['no choice', ONE, EMPTY, 'Choose one.'],
    ['no choices', MANY, EMPTY, 'Choose at least one.'],
    ['neither yes nor no', FLAG, EMPTY, 'Choose yes or no.'],
    ['not a number', NUMBER, EMPTY, 'Enter a number.'],
    ['a number in hex', NUMBER, text('0x10'), 'Enter a number, such as 12.5.'],
    ['a choice that is not offered', ONE, picked('Pink'), 'Choose one of the options.'],
    ['a number in words', NUMBER, text('two'), 'Enter a number, such as 12.5.'],
    ['an infinite number', NUMBER, text('Infinity'), 'Enter a number, such as 12.5.'],
    ['an empty line', WHEN, EMPTY, 'Required.'],
    ['an empty “Other”', ONE, other('  '), 'Describe “Other”.'],
  ])('is not sent if it is %s', (_what, field, input, issue) => {
    expect(parseOne(field, input)).toEqual({ ok: false, issues: { q1: issue } });
  });

  it('has errors for every field at once, and for no other', () => {
    const fields = [ONE, { ...FREE, key: 'q2' }, { ...FLAG, key: 'q3' }, { ...FREE, key: 'q4', required: false }];
    const issues = { q1: 'Choose one.', q3: 'Choose yes or no.' };
    expect(parseForm(fields, { q2: text('Here') })).toEqual({ ok: false, issues });
  });
});

describe('the hint of a field in a browser is', () => {
  it.each<[string | undefined, ValueSchema]>([
    [undefined, { type: 'string', format: 'email' }],
    [undefined, { type: 'string', format: 'date' }],
    ['A whole number.', { type: 'integer' }],
    ['1 to 10.', { type: 'number', minimum: 1, maximum: 10 }],
    ['3 or more.', { type: 'integer', minimum: 3 }],
    ['3.5 or less.', { type: 'number', maximum: 3.5 }],
    ['Text of at most 20 characters.', { type: 'string', maxLength: 20 }],
  ])('%s', (text, schema) => {
    expect(describeBrowserRequirement(schemaField(schema))).toBe(text);
  });
});

describe('a blank form', () => {
  it.each<[QuestionField, AnswerValue]>([
    [FREE, 'As before'],
    [ONE, 'Red'],
    [MANY, ['Red', { other: 'Teal' }]],
    [FLAG, false],
    [NUMBER, 2.5],
    [WHEN, '2026-11-16T09:30:15Z'],
  ])('has the default that the agent set: %#', (field, value) => {
    const fields = [{ ...field, default: value }];
    expect(parseForm(fields, createFormState(fields))).toEqual({ ok: true, answers: { q1: value } });
  });

  it('is empty without a default', () => {
    expect(isFieldFilled(ONE, createFormState([ONE]).q1 ?? picked('?'))).toBe(false);
  });
});

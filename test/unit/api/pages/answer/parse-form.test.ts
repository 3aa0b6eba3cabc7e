import {
  blankForm,
  parseAnswerForm,
  parseDeclineForm,
  readSubmittedForm,
  type SubmittedForm,
} from '#api/pages/answer/parse-form';
import type { QuestionField } from '#contract/question';
import { toDateTimeInput } from '#presentation/form-state';

const buildField = (overrides: Partial<QuestionField>): QuestionField => ({
  key: 'q1',
  header: 'H',
  question: 'What?',
  multiSelect: false,
  allowOther: false,
  required: true,
  ...overrides,
});
const options = ['A', 'B', 'C'].map((label) => ({ label }));
const singleChoice = buildField({ options, allowOther: true });
const multipleChoice = buildField({ options, allowOther: true, multiSelect: true });
const fieldOfSchema = (schema: QuestionField['schema']) => buildField({ schema });
const textField = buildField({});

/** The result of a submitted form: the value of its only field, or the error. */
function parseSubmission(field: QuestionField, encodedForm: string): unknown {
  const form = readSubmittedForm([field], new URLSearchParams(encodedForm));
  const parsed = parseAnswerForm([field], form);
  return parsed.ok ? parsed.body.answers.q1 : { error: parsed.errors.q1 };
}

describe('a form is parsed with', () => {
  it.each<[string, QuestionField, string, unknown]>([
    ['an option', singleChoice, 'q1=B&q1.other=', 'B'],
    ['the first of two for a single choice', singleChoice, 'q1=B&q1=A', 'B'],
    ['other', singleChoice, 'q1=&q1.other=+Mine+', { other: 'Mine' }],
    ['several options, in the order offered', multipleChoice, 'q1=C&q1=A', ['A', 'C']],
    ['a repeated option, once', multipleChoice, 'q1=C&q1=C', ['C']],
    ['several with other', multipleChoice, 'q1=B&q1=&q1.other=Mine', ['B', { other: 'Mine' }]],
    ['only other', multipleChoice, 'q1=&q1.other=Mine', [{ other: 'Mine' }]],
    ['yes', fieldOfSchema({ type: 'boolean' }), 'q1=Yes', true],
    ['no', fieldOfSchema({ type: 'boolean' }), 'q1=No', false],
    ['true, as in a link', fieldOfSchema({ type: 'boolean' }), 'q1=true', true],
    ['a whole number', fieldOfSchema({ type: 'integer' }), 'q1=+42+', 42],
    ['a negative number', fieldOfSchema({ type: 'number' }), 'q1=-0.5', -0.5],
    ['nought', fieldOfSchema({ type: 'number' }), 'q1=0', 0],
    ['a date', fieldOfSchema({ type: 'string', format: 'date' }), 'q1=2026-11-16', '2026-11-16'],
    [
      'a date and time',
      fieldOfSchema({ type: 'string', format: 'date-time' }),
      'q1=2026-11-16T09:30',
      '2026-11-16T09:30:00Z',
    ],
    [
      'a time with seconds',
      fieldOfSchema({ type: 'string', format: 'date-time' }),
      'q1=2026-11-16T09:30:15',
      '2026-11-16T09:30:15Z',
    ],
    [
      'a time typed with its zone',
      fieldOfSchema({ type: 'string', format: 'date-time' }),
      'q1=2026-11-16T09:30:00%2B02:00',
      '2026-11-16T09:30:00+02:00',
    ],
    [
      'an address with white space around it',
      fieldOfSchema({ type: 'string', format: 'email' }),
      'q1=+ada@example.org+',
      'ada@example.org',
    ],
    ['one of an enum', fieldOfSchema({ type: 'string', enum: ['x', 'y'] }), 'q1=y', 'y'],
    ['some of an enum', fieldOfSchema({ type: 'array', items: { enum: ['x', 'y'] } }), 'q1=y&q1=x', ['x', 'y']],
    [
      'none of an enum, if that is allowed',
      fieldOfSchema({ type: 'array', items: { enum: ['x'] }, minItems: 0 }),
      '',
      [],
    ],
    ['text', textField, 'q1=Hello', 'Hello'],
    ['lines as they were typed', textField, 'q1=+a%0D%0Ab%0Dc', ' a\nb\nc'],
    ['no text, if that is allowed', fieldOfSchema({ type: 'string', minLength: 0 }), 'q1=', ''],
    ['an unpaired surrogate', textField, 'q1=a%ED%A0%80', 'a���'],
    [
      'a label with line breaks and NUL',
      buildField({ options: [{ label: 'a\r\nb' }, { label: 'c\0d' }] }),
      'q1=a%0D%0Ab',
      'a\r\nb',
    ],
    ['that other label', buildField({ options: [{ label: 'a\r\nb' }, { label: 'c\0d' }] }), 'q1=c%EF%BF%BDd', 'c\0d'],
    [
      'a label that looks like another control',
      buildField({ options: [{ label: 'q1.other' }, { label: '__proto__' }] }),
      'q1=__proto__',
      '__proto__',
    ],
  ])('%s', (_what, field, encodedForm, expected) => {
    expect(parseSubmission(field, encodedForm)).toEqual(expected);
  });
});

describe('a form is rejected with', () => {
  it.each<[string, QuestionField, string, RegExp]>([
    ['nothing chosen', singleChoice, '', /^Choose one\.$/],
    ['nothing chosen of several', multipleChoice, '', /^Choose at least one\.$/],
    ['an unknown option', singleChoice, 'q1=D', /^Choose one of the options/],
    ['some unknown options', multipleChoice, 'q1=A&q1=D', /^Choose one of the options/],
    ['other with no text', singleChoice, 'q1=&q1.other=+', /Describe “Other”/],
    ['text for other with an option selected', singleChoice, 'q1=A&q1.other=Mine', /without selecting it/],
    ['text for other with nothing selected', singleChoice, 'q1.other=Mine', /without selecting it/],
    ['text for other, of several', multipleChoice, 'q1=A&q1.other=Mine', /without selecting it/],
    ['other if it is not offered', buildField({ options }), 'q1=&q1.other=Mine', /^Choose one\.$/],
    ['neither yes nor no', fieldOfSchema({ type: 'boolean' }), '', /^Choose yes or no\.$/],
    ['maybe', fieldOfSchema({ type: 'boolean' }), 'q1=maybe', /^Choose yes or no\.$/],
    ['no number', fieldOfSchema({ type: 'number' }), 'q1=', /^Enter a number\.$/],
    ['a word for a number', fieldOfSchema({ type: 'number' }), 'q1=five', /such as 12\.5/],
    ['a number in hex', fieldOfSchema({ type: 'number' }), 'q1=0x10', /such as 12\.5/],
    ['not a number', fieldOfSchema({ type: 'number' }), 'q1=NaN', /such as 12\.5/],
    ['an infinite number', fieldOfSchema({ type: 'number' }), 'q1=1e999', /such as 12\.5/],
    ['a number with a comma', fieldOfSchema({ type: 'number' }), 'q1=1,5', /such as 12\.5/],
    [
      'a half for a whole number',
      fieldOfSchema({ type: 'integer', minimum: 1 }),
      'q1=1.5',
      /^Must be a whole number of at least 1\.$/,
    ],
    ['no text', textField, 'q1=+%0A', /^Enter an answer\.$/],
    ['an impossible date', fieldOfSchema({ type: 'string', format: 'date' }), 'q1=2026-02-30', /^Must be a date/],
    ['too short', fieldOfSchema({ type: 'string', minLength: 5 }), 'q1=abc', /at least 5 characters/],
    ['too many', fieldOfSchema({ type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 }), 'q1=x&q1=y', /at most 1/],
    ['nothing chosen in a menu', fieldOfSchema({ type: 'string', enum: [...'abcdefghijk'] }), 'q1=', /^Choose one\.$/],
  ])('%s', (_what, field, encodedForm, error) => {
    expect(parseSubmission(field, encodedForm)).toEqual({ error: expect.stringMatching(error) });
  });

  it('all errors at once, keeping the input', () => {
    const fields = [singleChoice, buildField({ key: 'q2', schema: { type: 'integer' } }), buildField({ key: 'q3' })];
    const form = readSubmittedForm(fields, new URLSearchParams('q1.other=Mine&q2=few&q3=Fine&comment=Hm'));
    const parsed = parseAnswerForm(fields, form);
    expect(!parsed.ok && Object.keys(parsed.errors)).toEqual(['q1', 'q2']);
    expect([form.fields.q1?.other, form.fields.q2?.text, form.fields.q3?.text, form.comment]).toEqual([
      'Mine',
      'few',
      'Fine',
      'Hm',
    ]);
  });

  it('an answer of more than 32 KB', () => {
    const parsed = parseAnswerForm(
      [textField],
      readSubmittedForm([textField], new URLSearchParams({ q1: 'я'.repeat(17_000) })),
    );
    expect(parsed).toEqual({ ok: false, errors: { comment: expect.stringContaining('32 KB') } });
  });
});

describe('the comment', () => {
  const form = (comment: string): SubmittedForm =>
    readSubmittedForm([textField], new URLSearchParams({ q1: 'x', comment }));
  it('is sent with an answer, and is the reason of a skip', () => {
    expect(parseAnswerForm([textField], form(' so '))).toEqual({
      ok: true,
      body: { answers: { q1: 'x' }, comment: 'so' },
    });
    expect(parseAnswerForm([textField], form(' '))).toEqual({ ok: true, body: { answers: { q1: 'x' } } });
    expect(parseDeclineForm(form(' not mine '))).toEqual({ ok: true, body: { reason: 'not mine' } });
    expect(parseDeclineForm(form(''))).toEqual({ ok: true, body: {} });
    expect(parseDeclineForm(form('x'.repeat(4_001)))).toMatchObject({ ok: false });
  });
});

describe('an untouched form', () => {
  const blankInput = (field: QuestionField, query = '') => blankForm([field], new URLSearchParams(query)).fields.q1;
  it('has the default, unless the URL preselects another option', () => {
    const field = { ...multipleChoice, default: ['A', { other: 'Mine' }] };
    expect(blankInput(field)).toEqual({ picked: ['A'], isOther: true, other: 'Mine', text: '' });
    expect(blankInput(field, 'q1=B')).toEqual({ picked: ['B'], isOther: false, other: '', text: '' });
    expect(blankInput(fieldOfSchema({ type: 'boolean' }), 'q1=yes')?.picked).toEqual(['Yes']);
    expect(blankInput({ ...fieldOfSchema({ type: 'boolean' }), default: false })?.picked).toEqual(['No']);
    expect(blankInput({ ...fieldOfSchema({ type: 'number' }), default: 0 })?.text).toBe('0');
    expect(blankInput({ ...textField, default: 'Hi' })?.text).toBe('Hi');
  });

  it('shows a time as its control writes it, in UTC', () => {
    expect(toDateTimeInput('2026-11-16T09:30:00+02:00', 'utc')).toBe('2026-11-16T07:30');
    expect(toDateTimeInput('2026-11-16T09:30:15Z', 'utc')).toBe('2026-11-16T09:30:15');
    expect(toDateTimeInput('tomorrow', 'utc')).toBe('tomorrow');
  });
});

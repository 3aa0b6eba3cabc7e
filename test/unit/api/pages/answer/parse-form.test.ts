import {
  blankForm,
  normalizeControlValue,
  parseAnswerForm,
  parseDeclineForm,
  readSubmittedForm,
  type SubmittedForm,
} from '#api/pages/answer/parse-form';
import type { QuestionField } from '#contract/question';

const field = (more: Partial<QuestionField>): QuestionField => ({
  key: 'q1',
  header: 'H',
  question: 'What?',
  multiSelect: false,
  allowOther: false,
  required: true,
  ...more,
});
const options = ['A', 'B', 'C'].map((label) => ({ label }));
const one = field({ options, allowOther: true });
const many = field({ options, allowOther: true, multiSelect: true });
const of = (schema: QuestionField['schema']) => field({ schema });
const text = field({});

/** What a form that says this comes to: the value of the one field, or what is wrong with it. */
function read(asked: QuestionField, sent: string): unknown {
  const form = readSubmittedForm([asked], new URLSearchParams(sent));
  const made = parseAnswerForm([asked], form);
  return made.ok ? made.body.answers.q1 : { fault: made.faults.q1 };
}

describe('a form makes an answer:', () => {
  it.each<[string, QuestionField, string, unknown]>([
    ['an option', one, 'q1=B&q1.other=', 'B'],
    ['the first of two, where there can be one', one, 'q1=B&q1=A', 'B'],
    ['other', one, 'q1=&q1.other=+Mine+', { other: 'Mine' }],
    ['several options, in the order offered', many, 'q1=C&q1=A', ['A', 'C']],
    ['an option that came twice, once', many, 'q1=C&q1=C', ['C']],
    ['several with other', many, 'q1=B&q1=&q1.other=Mine', ['B', { other: 'Mine' }]],
    ['only other', many, 'q1=&q1.other=Mine', [{ other: 'Mine' }]],
    ['yes', of({ type: 'boolean' }), 'q1=Yes', true],
    ['no', of({ type: 'boolean' }), 'q1=No', false],
    ['true, as a link may say', of({ type: 'boolean' }), 'q1=true', true],
    ['a whole number', of({ type: 'integer' }), 'q1=+42+', 42],
    ['a negative number', of({ type: 'number' }), 'q1=-0.5', -0.5],
    ['nought', of({ type: 'number' }), 'q1=0', 0],
    ['a date', of({ type: 'string', format: 'date' }), 'q1=2026-11-16', '2026-11-16'],
    ['a moment', of({ type: 'string', format: 'date-time' }), 'q1=2026-11-16T09:30', '2026-11-16T09:30:00Z'],
    [
      'a moment with seconds',
      of({ type: 'string', format: 'date-time' }),
      'q1=2026-11-16T09:30:15',
      '2026-11-16T09:30:15Z',
    ],
    [
      'a moment typed with its zone',
      of({ type: 'string', format: 'date-time' }),
      'q1=2026-11-16T09:30:00%2B02:00',
      '2026-11-16T09:30:00+02:00',
    ],
    [
      'an address with room around it',
      of({ type: 'string', format: 'email' }),
      'q1=+ada@example.org+',
      'ada@example.org',
    ],
    ['one of an enum', of({ type: 'string', enum: ['x', 'y'] }), 'q1=y', 'y'],
    ['some of an enum', of({ type: 'array', items: { enum: ['x', 'y'] } }), 'q1=y&q1=x', ['x', 'y']],
    ['none of an enum, where that will do', of({ type: 'array', items: { enum: ['x'] }, minItems: 0 }), '', []],
    ['text', text, 'q1=Hello', 'Hello'],
    ['lines as they were typed', text, 'q1=+a%0D%0Ab%0Dc', ' a\nb\nc'],
    ['no text, where that will do', of({ type: 'string', minLength: 0 }), 'q1=', ''],
    ['half a character', text, 'q1=a%ED%A0%80', 'a���'],
    [
      'a label with line ends and a character no page can hold',
      field({ options: [{ label: 'a\r\nb' }, { label: 'c\0d' }] }),
      'q1=a%0D%0Ab',
      'a\r\nb',
    ],
    ['that other label', field({ options: [{ label: 'a\r\nb' }, { label: 'c\0d' }] }), 'q1=c%EF%BF%BDd', 'c\0d'],
    [
      'a label that reads as another control',
      field({ options: [{ label: 'q1.other' }, { label: '__proto__' }] }),
      'q1=__proto__',
      '__proto__',
    ],
  ])('%s', (_what, asked, sent, expected) => {
    expect(read(asked, sent)).toEqual(expected);
  });
});

describe('a form that makes none says why:', () => {
  it.each<[string, QuestionField, string, RegExp]>([
    ['nothing chosen', one, '', /^Choose one\.$/],
    ['nothing chosen of several', many, '', /^Choose at least one\.$/],
    ['an option that is none', one, 'q1=D', /from what is shown here/],
    ['options that are partly none', many, 'q1=A&q1=D', /from what is shown here/],
    ['other with no text', one, 'q1=&q1.other=+', /Write what “Other” stands for/],
    ['text beside other, and an option chosen', one, 'q1=A&q1.other=Mine', /did not choose it/],
    ['text beside other, and nothing chosen', one, 'q1.other=Mine', /did not choose it/],
    ['text beside other, of several', many, 'q1=A&q1.other=Mine', /did not choose it/],
    ['other where there is none', field({ options }), 'q1=&q1.other=Mine', /^Choose one\.$/],
    ['neither yes nor no', of({ type: 'boolean' }), '', /^Choose yes or no\.$/],
    ['maybe', of({ type: 'boolean' }), 'q1=maybe', /^Choose yes or no\.$/],
    ['no number', of({ type: 'number' }), 'q1=', /^Write a number\.$/],
    ['a word for a number', of({ type: 'number' }), 'q1=five', /in digits/],
    ['a number in hex', of({ type: 'number' }), 'q1=0x10', /in digits/],
    ['no number at all', of({ type: 'number' }), 'q1=NaN', /in digits/],
    ['a number without end', of({ type: 'number' }), 'q1=1e999', /in digits/],
    ['a number with a comma', of({ type: 'number' }), 'q1=1,5', /in digits/],
    [
      'half, for a whole number',
      of({ type: 'integer', minimum: 1 }),
      'q1=1.5',
      /^Must be a whole number of at least 1\.$/,
    ],
    ['no text', text, 'q1=+%0A', /^Write an answer\.$/],
    ['a day there is not', of({ type: 'string', format: 'date' }), 'q1=2026-02-30', /^Must be a date/],
    ['too short', of({ type: 'string', minLength: 5 }), 'q1=abc', /at least 5 characters/],
    ['too many', of({ type: 'array', items: { enum: ['x', 'y'] }, maxItems: 1 }), 'q1=x&q1=y', /at most 1/],
    ['nothing chosen in a menu', of({ type: 'string', enum: [...'abcdefghijk'] }), 'q1=', /^Choose one\.$/],
  ])('%s', (_what, asked, sent, fault) => {
    expect(read(asked, sent)).toEqual({ fault: expect.stringMatching(fault) });
  });

  it('all that is wrong at once, and keeps what was typed', () => {
    const fields = [one, field({ key: 'q2', schema: { type: 'integer' } }), field({ key: 'q3' })];
    const form = readSubmittedForm(fields, new URLSearchParams('q1.other=Mine&q2=few&q3=Fine&comment=Hm'));
    const made = parseAnswerForm(fields, form);
    expect(!made.ok && Object.keys(made.faults)).toEqual(['q1', 'q2']);
    expect([form.fields.q1?.other, form.fields.q2?.text, form.fields.q3?.text, form.comment]).toEqual([
      'Mine',
      'few',
      'Fine',
      'Hm',
    ]);
  });

  it('an answer of more than 32 KB', () => {
    const made = parseAnswerForm([text], readSubmittedForm([text], new URLSearchParams({ q1: 'я'.repeat(17_000) })));
    expect(made).toEqual({ ok: false, faults: { comment: expect.stringContaining('32 KB') } });
  });
});

describe('the comment', () => {
  const form = (comment: string): SubmittedForm => readSubmittedForm([text], new URLSearchParams({ q1: 'x', comment }));
  it('goes with an answer, and is the reason of a refusal', () => {
    expect(parseAnswerForm([text], form(' so '))).toEqual({
      ok: true,
      body: { answers: { q1: 'x' }, comment: 'so' },
    });
    expect(parseAnswerForm([text], form(' '))).toEqual({ ok: true, body: { answers: { q1: 'x' } } });
    expect(parseDeclineForm(form(' not mine '))).toEqual({ ok: true, body: { reason: 'not mine' } });
    expect(parseDeclineForm(form(''))).toEqual({ ok: true, body: {} });
    expect(parseDeclineForm(form('x'.repeat(4_001)))).toMatchObject({ ok: false });
  });
});

describe('a form that nobody has touched', () => {
  const blank = (asked: QuestionField, query = '') => blankForm([asked], new URLSearchParams(query)).fields.q1;
  it('has the default, unless the address says something else', () => {
    const asked = { ...many, default: ['A', { other: 'Mine' }] };
    expect(blank(asked)).toEqual({ picked: ['A'], isOther: true, other: 'Mine', text: '' });
    expect(blank(asked, 'q1=B')).toEqual({ picked: ['B'], isOther: false, other: '', text: '' });
    expect(blank(of({ type: 'boolean' }), 'q1=yes')?.picked).toEqual(['Yes']);
    expect(blank({ ...of({ type: 'boolean' }), default: false })?.picked).toEqual(['No']);
    expect(blank({ ...of({ type: 'number' }), default: 0 })?.text).toBe('0');
    expect(blank({ ...text, default: 'Hi' })?.text).toBe('Hi');
  });

  it('shows a moment as its control writes it, in UTC', () => {
    expect(normalizeControlValue('2026-11-16T09:30:00+02:00')).toBe('2026-11-16T07:30');
    expect(normalizeControlValue('2026-11-16T09:30:15Z')).toBe('2026-11-16T09:30:15');
    expect(normalizeControlValue('tomorrow')).toBe('tomorrow');
  });
});

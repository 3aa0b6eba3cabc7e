import { type QuestionField, ValueSchema } from '#contract/question';
import { applyUserMessage } from '#core/conversation/messages';
import { applyAnswer } from '#core/questions/resolve';
import { parseTextAnswer, validateAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { exampleAnswer, renderTemporalDetails } from '#core/temporal-ui-details';
import {
  askingConversation,
  pendingQuestion,
  questionResultJson,
  questionWithFields,
  resolvedQuestion,
  START_TIME,
  testField,
} from '#test/support/core/conversation-fixture';
import { expectLinearTime } from '#test/support/expect-linear-time';

const of = (schema: unknown): QuestionField => testField({ allowOther: false, schema: ValueSchema.parse(schema) });
const string = (rest: object = {}) => of({ type: 'string', ...rest });
const integer = (rest: object = {}) => of({ type: 'integer', ...rest });
const number = (rest: object = {}) => of({ type: 'number', ...rest });
const list = (rest: object = {}) => of({ type: 'array', items: { enum: ['a', 'b', 'c'] }, ...rest });
const email = string({ format: 'email' });
const uri = string({ format: 'uri' });
const date = string({ format: 'date' });
const moment = string({ format: 'date-time' });
const yes = of({ type: 'boolean' });

describe('a value for a schema', () => {
  it.each<[string, QuestionField, unknown]>([
    ['text', string(), 'Ada'],
    ['text within the lengths', string({ minLength: 3, maxLength: 3 }), 'Ada'],
    ['text counted in visible characters', string({ maxLength: 2 }), '😀😀'],
    ['empty text if that is allowed', string({ minLength: 0 }), ''],
    ['text that matches', string({ pattern: '^[a-z]+$' }), 'ada'],
    ['text that matches somewhere', string({ pattern: '[0-9]' }), 'Ada 1'],
    ['one of the choices', string({ enum: ['a', 'b'] }), 'b'],
    ['an email address', email, 'ada.lovelace+shed@mail.example.org'],
    ['an email address of another script', email, 'πέτρος@παράδειγμα.ελ'],
    ['a web address', uri, 'https://example.org/a?b=c#d'],
    ['a web address with a port and a name', uri, 'http://ada:pw@localhost:3000'],
    ['a web address by number', uri, 'http://[::1]:80/x'],
    ['another URL with a host', uri, 'ssh://git@example.org/repo'],
    ['an email address as a URL', uri, 'mailto:ada@example.org'],
    ['a phone number as a URL', uri, 'tel:+44-20-7946-0000'],
    ['a date', date, '2026-11-16'],
    ['a leap day', date, '2028-02-29'],
    ['the leap day of a century', date, '2000-02-29'],
    ['a date and time', moment, '2026-11-16T09:30:00Z'],
    ['a time with a fraction and a zone', moment, '2026-11-16t09:30:00.123+05:30'],
    ['a number', number(), -1.5],
    ['the least number', number({ minimum: 1.5 }), 1.5],
    ['the greatest number', number({ maximum: 0 }), 0],
    ['a whole number', integer(), 5],
    ['a whole number with a decimal point', integer({ minimum: 1, maximum: 10 }), 10.0],
    ['true', yes, true],
    ['false', yes, false],
    ['some of the choices', list(), ['c', 'a']],
    ['no choice if that is allowed', list({ minItems: 0 }), []],
    ['the maximum number of choices', list({ maxItems: 2 }), ['a', 'b']],
  ])('may be %s', (_what, on, value) => {
    expect(validateFieldValue(on, value)).toBeUndefined();
  });

  const between = integer({ minimum: 1, maximum: 10 });
  it.each<[string, QuestionField, unknown, string]>([
    ['too short', string({ minLength: 3 }), 'Al', 'must be at least 3 characters'],
    ['too short by one', string({ minLength: 2 }), '😀', 'must be at least 2 characters'],
    ['too long', string({ maxLength: 1 }), 'Al', 'must be at most 1 character'],
    ['empty', string(), '', 'must not be empty'],
    ['blank', string({ minLength: 2 }), '   ', 'must not be empty'],
    ['a number for text', string(), 5, 'must be text'],
    ['null for text', string(), null, 'must be text'],
    ['"other" for text', string(), { other: 'x' }, 'must be text'],
    ['no match', string({ pattern: '^[a-z]+$' }), 'Ada', 'must match the pattern ^[a-z]+$'],
    ['no address', email, 'ada', 'must be an email address such as ada@example.org'],
    ['no date', date, 'tomorrow', 'must be a date such as 2026-11-16'],
    ['no date and time', moment, '2026-11-16', 'must be a date and time such as 2026-11-16T09:30:00Z'],
    ['no web address', uri, 'example.org', 'must be a web address such as https://example.org/page'],
    ['too much', between, 11, 'must be a whole number from 1 to 10'],
    ['too little', between, 0, 'must be a whole number from 1 to 10'],
    ['a fraction', between, 1.5, 'must be a whole number from 1 to 10'],
    ['too small for any number', number({ minimum: 0 }), -0.1, 'must be a number of at least 0'],
    ['too large for any number', number({ maximum: 9.5 }), 9.6, 'must be a number of at most 9.5'],
    ['a number as text', between, '5', 'must be a whole number from 1 to 10, without quotes'],
    ['NaN', number(), Number.NaN, 'must be a number'],
    ['1e400, which JSON reads as infinite', number(), JSON.parse('1e400'), 'must be a number'],
    ['true for a number', number(), true, 'must be a number'],
    [
      'a whole number that JSON changed',
      integer(),
      JSON.parse('12345678901234567890'),
      'must be a whole number from -9007199254740991 to 9007199254740991',
    ],
    ['"true"', yes, 'true', 'must be true or false, without quotes'],
    ['0 for false', yes, 0, 'must be true or false'],
  ])('may not be %s, and the error says what to send', (_what, on, value, message) => {
    expect(validateFieldValue(on, value)).toEqual({ message });
  });

  it.each<[string, QuestionField, unknown, string]>([
    ['another text', string({ enum: ['a', 'b', 'c'] }), 'd', '"d" is not one of the choices'],
    ['another case', string({ enum: ['a', 'b', 'c'] }), 'A', '"A" is not one of the choices'],
    ['a number', string({ enum: ['a', 'b', 'c'] }), 1, 'must be one of the choices'],
    ['a list', string({ enum: ['a', 'b', 'c'] }), ['a'], 'must be one of the choices'],
    ['text for a list', list(), 'a', 'must be a list of choices'],
    ['nothing chosen', list(), [], 'choose at least 1'],
    ['too few', list({ minItems: 2 }), ['a'], 'choose at least 2'],
    ['too many', list({ maxItems: 1 }), ['a', 'b'], 'choose at most 1'],
    ['a repeated choice', list(), ['a', 'a'], 'choose each option only once'],
    ['"other"', list(), [{ other: 'd' }], 'must be one of the choices'],
    [
      'many errors at once',
      list({ maxItems: 2 }),
      ['x', 'a', 'y'],
      '"x" is not one of the choices; "y" is not one of the choices; choose at most 2',
    ],
  ])('may not be %s, and the error lists the choices', (_what, on, value, message) => {
    expect(validateFieldValue(on, value)).toEqual({ message, allowed: ['a', 'b', 'c'] });
  });

  it.each([
    ...['a@b', '@b.org', 'a@', 'a b@c.org', 'a@b@c.org', '.a@b.org', 'a.@b.org', 'a..b@c.org', 'a@-b.org'],
    ...['a@b..org', 'Ada <a@b.org>', 'a@b.org ', 'a@b.org\n', `${'a'.repeat(65)}@b.org`, 'a@b_c.org'],
  ])('is not an email address: %j', (text) => expect(validateFieldValue(email, text)).toBeDefined());

  it.each([
    ...['/page', '//example.org', 'https://', 'https:///x', 'http:example.org', 'https://?q', 'https://.org'],
    ...['localhost:3000', 'example.org:80/x', 'javascript:alert(1)', 'javascript://x.org/%0aalert(1)'],
    ...['data:text/html,x', 'https://a b.org', 'https://a.org/\n', 'https://a.org/"x', 'mailto:ada', 'C:\\x'],
  ])('is not a web address: %j', (text) => expect(validateFieldValue(uri, text)).toBeDefined());

  it.each([
    ...['2026-02-30', '2026-02-29', '1900-02-29', '2026-13-01', '2026-00-10', '2026-04-31', '2026-01-00'],
    ...['26-01-01', '2026-1-1', '16.11.2026', '2026-11-16T00:00:00Z', ' 2026-11-16', '２０２６-11-16'],
  ])('is not a date: %j', (text) => expect(validateFieldValue(date, text)).toBeDefined());

  it.each([
    ...['2026-11-16T09:30:00', '2026-11-16 09:30:00Z', '2026-11-16T24:00:00Z', '2026-11-16T09:60:00Z'],
    ...['2026-02-30T09:30:00Z', '2026-11-16T09:30Z', '2026-11-16T09:30:00+5', '2026-11-16T09:30:00.Z'],
  ])('is not a date and time: %j', (text) => expect(validateFieldValue(moment, text)).toBeDefined());

  it('is rejected with all its errors', () => {
    const strict = string({ minLength: 8, format: 'email', pattern: '^x' });
    expect(validateFieldValue(strict, 'ada')?.message).toBe(
      'must be at least 8 characters; must be an email address such as ada@example.org; must match the pattern ^x',
    );
  });

  it('that is far too long is not parsed', async () => {
    const hard = string({ pattern: '(?:\\pL|\\pN){160}!' });
    const refusal = /^must be at most \d+ characters$/;
    await expectLinearTime(
      () => expect(validateFieldValue(hard, 'a'.repeat(32_000))?.message).toMatch(refusal),
      () => validateFieldValue(hard, 'a'),
    );
  });
});

describe('an answer to fields with schemas', () => {
  const question = questionWithFields({ ...integer(), key: 'q1' }, { ...list(), key: 'q2', question: 'Which?' });

  it('gets every error, and what is allowed, for each', () => {
    expect(validateAnswer(question, { answers: { q1: '5' } })).toEqual({
      ok: false,
      issues: [
        {
          path: 'answers.q1',
          message: 'must be a whole number, without quotes',
        },
        { path: 'answers.q2', message: '"Which?" has no answer', allowed: ['a', 'b', 'c'] },
      ],
    });
  });

  it('reaches the model unchanged', () => {
    const many = { type: 'integer', minimum: 1 };
    const state = askingConversation([{ question: 'How many?', schema: many }]);
    expect(pendingQuestion(state).fields[0]).toMatchObject({ schema: many, allowOther: false });
    expect(applyAnswer(state, { answer: 0 }, START_TIME)).toMatchObject({ reason: 'invalid' });
    expect(applyAnswer(state, { answer: 3 }, START_TIME)).toEqual({ ok: true });
    expect(questionResultJson(state)).toEqual({ answers: { 'How many?': 3 } });
  });
});

describe('a message typed while a question with a schema is open', () => {
  it.each<[string, QuestionField, string, unknown]>([
    ['answers if it is valid text', string({ minLength: 3 }), 'Ada', 'Ada'],
    ['answers if it has the format', email, 'ada@example.org', 'ada@example.org'],
    ['waits if it is not valid', email, 'What for?', undefined],
    ['waits if there are choices', string({ enum: ['a'] }), 'a', undefined],
    ['waits if a number is required', number(), '5', undefined],
    ['waits if true or false is required', yes, 'true', undefined],
    ['waits if a list is required', list(), 'a', undefined],
  ])('%s', (_what, on, text, value) => {
    expect(parseTextAnswer(questionWithFields(on), text)).toEqual(value);
  });

  it('reaches the model after the question is closed, if it is not valid', () => {
    const state = askingConversation([{ question: 'Where to?', schema: { type: 'string', format: 'email' } }]);
    applyUserMessage(state, { text: 'What for?' }, START_TIME);
    expect(state.queuedMessages).toEqual(['What for?']);
    applyUserMessage(state, { text: 'ada@example.org' }, START_TIME);
    expect(resolvedQuestion(state).outcome?.answers).toEqual({ q1: 'ada@example.org' });
  });
});

describe('the page in the Temporal UI', () => {
  it.each<[object, string]>([
    [{ type: 'integer', minimum: 1, maximum: 10 }, '(a whole number from 1 to 10)'],
    [{ type: 'number', minimum: 5, maximum: 5 }, '(a number of exactly 5)'],
    [{ type: 'boolean' }, '(true or false)'],
    [{ type: 'string' }, '(text)'],
    [{ type: 'string', minLength: 0 }, '(text)'],
    [{ type: 'string', minLength: 3, maxLength: 9 }, '(text of 3 to 9 characters)'],
    [{ type: 'string', maxLength: 1 }, '(text of at most 1 character)'],
    [{ type: 'string', format: 'date' }, '(a date)'],
    [{ type: 'string', pattern: '^a_b$' }, '(text that matches ^a\\_b$)'],
    [{ type: 'string', enum: ['a', '<b>'] }, '(choose one)\n- **a**\n- **\\<b\\>**\n'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, '(choose any)\n- **a**\n- **b**\n'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 1, maxItems: 2 }, '(choose 1 to 2)'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, '(choose at least 2)'],
  ])('says what %j accepts', (schema, said) => {
    expect(renderTemporalDetails(askingConversation([{ question: 'Q?', schema }]))).toContain(`### q1. Q? ${said}`);
  });

  it.each<[object]>([
    [{ type: 'integer', minimum: 3 }],
    [{ type: 'integer', minimum: 1.2, maximum: 2.5 }],
    [{ type: 'integer', maximum: -2.5 }],
    [{ type: 'number', maximum: -2.5 }],
    [{ type: 'number' }],
    [{ type: 'boolean' }],
    [{ type: 'string' }],
    [{ type: 'string', minLength: 5, maxLength: 5 }],
    [{ type: 'string', minLength: 40 }],
    [{ type: 'string', maxLength: 1 }],
    [{ type: 'string', enum: ["it's", 'b'] }],
    [{ type: 'string', format: 'email' }],
    [{ type: 'string', format: 'uri' }],
    [{ type: 'string', format: 'date' }],
    [{ type: 'string', format: 'date-time' }],
    [{ type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 2 }],
  ])('has a valid example for %j', (schema) => {
    const state = askingConversation([{ question: 'Q?', schema }]);
    const [, input = ''] = /--input '(.*)'\n/.exec(renderTemporalDetails(state)) ?? [];
    expect(applyAnswer(state, JSON.parse(input.replaceAll("'\\''", "'")), START_TIME)).toEqual({ ok: true });
  });

  it('describes an example if none is known, and shows the default if there is one', () => {
    expect(exampleAnswer(string({ pattern: '^a\\.b$' }))).toBe('your text');
    expect(exampleAnswer({ ...string({ pattern: '^a\\.b$' }), default: 'a.b' })).toBe('a.b');
  });
});

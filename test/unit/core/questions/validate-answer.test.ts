import { defaultAnswers, parseTextAnswer, validateAnswer, validateFieldValue } from '#core/questions/validate-answer';
import { questionWithFields, testField } from '#test/support/core/conversation-fixture';

const options = [{ label: 'Red' }, { label: 'Green' }, { label: 'Blue' }];
const labels = ['Red', 'Green', 'Blue'];
const one = testField({ options });
const strict = testField({ options, allowOther: false });
const many = testField({ options, multiSelect: true });
const manyStrict = testField({ options, multiSelect: true, allowOther: false });
const free = testField();

describe('a value', () => {
  it.each([
    ['a label', one, 'Green'],
    ['a label if nothing else is allowed', strict, 'Green'],
    ['"other" in full', one, { other: 'Mauve' }],
    ['"other" with the text of a label', one, { other: 'Red' }],
    ['a list of labels', many, ['Red', 'Blue']],
    ['a list of one', many, ['Red']],
    ['every option at once', manyStrict, labels],
    ['"other" within the list', many, ['Red', { other: 'Mauve' }]],
    ['"other" alone in the list', many, [{ other: 'Mauve' }]],
    ['text', free, 'Mauve'],
    ['text with white space around it', free, '  Mauve\n'],
    ['a number', free, 0],
    ['a negative fraction', free, -1.5],
    ['true', free, true],
    ['false', free, false],
  ])('may be %s', (_what, of, value) => {
    expect(validateFieldValue(of, value)).toBeUndefined();
  });

  it.each([
    ['an unknown label', one, 'Mauve', /"Mauve" is not one of the options.*\{"other": "text"\}/],
    ['an unknown label without "other"', strict, 'Mauve', /^"Mauve" is not one of the options$/],
    ['a misspelled label, which is never free text', one, 'Rde', /not one of the options/],
    ['a label in another case', one, 'red', /not one of the options/],
    ['a label with white space around it', one, 'Red ', /not one of the options/],
    ['no text at all', one, '', /not one of the options/],
    ['the name of a property of every object', one, 'constructor', /not one of the options/],
    ['two options for a single choice', one, ['Red', 'Blue'], /only one option/],
    ['a list of one for a single choice', one, ['Red'], /only one option/],
    ['"other" if it is not offered', strict, { other: 'Mauve' }, /not accept "other"/],
    ['"other" in a list if it is not offered', manyStrict, ['Red', { other: 'Mauve' }], /not accept "other"/],
    ['"other" with extra fields', one, { other: 'Mauve', label: 'Red' }, /label of an option/],
    ['"other" that is not text', one, { other: 5 }, /label of an option/],
    ['a number for a label', one, 1, /label of an option/],
    ['true for a label', one, true, /label of an option/],
    ['null for a label', one, null, /label of an option/],
    ['an empty object for a label', one, {}, /label of an option/],
    ['a label for a list', many, 'Red', /list of labels/],
    ['"other" outside the list', many, { other: 'Mauve' }, /list of labels/],
    ['null for a list', many, null, /list of labels/],
    ['an empty list', many, [], /at least one/],
    ['an option chosen twice', many, ['Red', 'Blue', 'Red'], /only once/],
    ['"other" twice', many, [{ other: 'Mauve' }, { other: 'Pink' }], /once/],
    ['an unknown label in the list', many, ['Red', 'Mauve'], /"Mauve" is not one of the options/],
    ['a list within the list', many, [['Red']], /label of an option/],
    ['null in the list', many, [null], /label of an option/],
  ])('may not be %s, and the error lists what is allowed', (_what, of, value, message) => {
    expect(validateFieldValue(of, value)).toEqual({
      message: expect.stringMatching(message),
      allowed: labels,
    });
  });

  it.each([
    ['empty text', free, '', /empty/],
    ['blank text', free, ' \n\t', /empty/],
    ['null', free, null, /text, a number, true or false/],
    ['undefined', free, undefined, /text, a number, true or false/],
    ['NaN', free, Number.NaN, /text, a number, true or false/],
    ['Infinity', free, Number.POSITIVE_INFINITY, /text, a number, true or false/],
    ['an object', free, { text: 'Mauve' }, /text, a number, true or false/],
    ['"other" without options', free, { other: 'Mauve' }, /text, a number, true or false/],
    ['a list', free, ['Mauve'], /text, a number, true or false/],
    ['empty "other"', one, { other: '' }, /"other" must not be empty/],
    ['blank "other" in the list', many, ['Red', { other: '  ' }], /"other" must not be empty/],
  ])('may not be %s', (_what, of, value, message) => {
    expect(validateFieldValue(of, value)).toEqual({ message: expect.stringMatching(message) });
  });

  it('that is very long is truncated in the error', () => {
    expect(validateFieldValue(one, 'x'.repeat(30_000))?.message.length).toBeLessThan(400);
  });
});

const sized = testField({ key: 'q2', question: 'Which size?', options: [{ label: 'S' }, { label: 'L' }] });
const named = testField({ key: 'q3', question: 'What name?' });
const several = questionWithFields(one, sized, named);
const keys = ['q1', 'q2', 'q3'];
const good = { q1: 'Red', q2: 'S', q3: 'Ada' };

describe('an answer', () => {
  it('is accepted by key, by exact text, or a mix, and stored by key', () => {
    for (const answers of [
      good,
      { 'Which colour?': 'Red', 'Which size?': 'S', 'What name?': 'Ada' },
      { 'Which size?': 'S', q3: 'Ada', q1: 'Red' },
    ])
      expect(validateAnswer(several, { answers })).toEqual({ ok: true, answers: good });
  });

  it('keeps "other" as it was sent', () => {
    const answers = { q1: { other: ' Mauve ' } };
    expect(validateAnswer(questionWithFields(one), { answers })).toEqual({ ok: true, answers });
  });

  it.each([
    ['a label', one, 'Red'],
    ['false', free, false],
    ['0', free, 0],
  ])('to a single field may be given alone: %s', (_what, of, answer) => {
    expect(validateAnswer(questionWithFields(of), { answer })).toEqual({ ok: true, answers: { q1: answer } });
  });

  it('given alone is validated, too', () => {
    const fault = { path: 'answers.q1', message: expect.stringContaining('not one of'), allowed: labels };
    expect(validateAnswer(questionWithFields(one), { answer: 'Rde' })).toEqual({
      ok: false,
      issues: [fault],
    });
    expect(validateAnswer(questionWithFields(one), { answer: null }).ok).toBe(false);
  });

  it('given alone is rejected if there are several fields', () => {
    const fault = { path: 'answer', message: expect.stringContaining('several fields'), allowed: keys };
    expect(validateAnswer(several, { answer: 'Red' })).toEqual({ ok: false, issues: [fault] });
  });

  it('is not both "answer" and "answers"', () => {
    expect(validateAnswer(questionWithFields(one), { answer: 'Red', answers: { q1: 'Red' } }).ok).toBe(false);
  });

  it('to a key that is also the text of another field is for the key', () => {
    const question = questionWithFields(testField({ question: 'q2' }), testField({ key: 'q2', question: 'Two?' }));
    const checked = validateAnswer(question, { answers: { q2: 'two', q1: 'one' } });
    expect(checked).toEqual({ ok: true, answers: { q1: 'one', q2: 'two' } });
  });

  it.each(['q9', 'which colour?', '__proto__', 'constructor', 'toString', ''])(
    'cannot have the field %j, and the error lists the fields',
    (key) => {
      const answers = JSON.parse(JSON.stringify(good).replace('{', `{${JSON.stringify(key)}: "Red",`));
      const fault = { path: `answers.${key}`, message: 'unknown field', allowed: keys };
      expect(validateAnswer(several, { answers })).toEqual({ ok: false, issues: [fault] });
    },
  );

  it('by both key and text is rejected, even if they agree', () => {
    const answers = { ...good, 'Which colour?': 'Red' };
    const fault = { path: 'answers.Which colour?', message: 'q1 is answered twice' };
    expect(validateAnswer(several, { answers })).toEqual({ ok: false, issues: [fault] });
  });

  it('has every required field, and no others', () => {
    const missing = { path: 'answers.q2', message: '"Which size?" has no answer', allowed: ['S', 'L'] };
    expect(validateAnswer(several, { answers: { q1: 'Red', q3: 'Ada' } })).toEqual({
      ok: false,
      issues: [missing],
    });
    const optional = questionWithFields(one, { ...named, required: false });
    expect(validateAnswer(optional, { answers: { q1: 'Red' } })).toEqual({
      ok: true,
      answers: { q1: 'Red' },
    });
  });

  it.each([undefined, null, 'Red', 5, true, [], ['Red']])('is an object of fields, not %j', (answers) => {
    const checked = validateAnswer(several, { answers });
    if (checked.ok) throw new Error('accepted');
    expect(checked.issues[0]).toMatchObject({ path: 'answers', allowed: keys });
  });

  it('is rejected with every error at once', () => {
    const answers = JSON.parse('{"q1": "Rde", "q2": ["S", "L"], "colour": 1, "__proto__": 2}');
    const checked = validateAnswer(several, { answers });
    expect(checked).toHaveProperty('issues.length', 5);
    expect(checked).toEqual({
      ok: false,
      issues: expect.arrayContaining([
        { path: 'answers.colour', message: 'unknown field', allowed: keys },
        { path: 'answers.__proto__', message: 'unknown field', allowed: keys },
        { path: 'answers.q1', message: expect.stringContaining('"Rde"'), allowed: labels },
        { path: 'answers.q2', message: 'choose only one option', allowed: ['S', 'L'] },
        { path: 'answers.q3', message: '"What name?" has no answer' },
      ]),
    });
  });
});

it('the error names every unknown label of a list, not only the first', () => {
  const checked = validateAnswer(questionWithFields(many), { answers: { q1: ['Mauve', 'Red', 'Pink'] } });
  expect(JSON.stringify(checked)).toContain('Mauve');
  expect(JSON.stringify(checked)).toContain('Pink');
});

describe('a message typed while a question is open', () => {
  it.each([
    ['is the text of a free field', [free], 'Mauve'],
    ['is "other" of a choice', [one], { other: 'Mauve' }],
    ['is "other" in the list of choices', [many], [{ other: 'Mauve' }]],
    ['is nothing if "other" is not offered', [strict], undefined],
    ['is nothing if there are several fields', [free, named], undefined],
  ])('%s', (_what, fields, value) => {
    expect(parseTextAnswer(questionWithFields(...fields), 'Mauve')).toEqual(value);
  });
});

it('the defaults are used only if every required field has one', () => {
  expect(defaultAnswers([testField({ default: 'Red' }), { ...named, default: 0 }])).toEqual({
    q1: 'Red',
    q3: 0,
  });
  expect(defaultAnswers([testField({ default: 'Red' }), named])).toBeUndefined();
  expect(defaultAnswers([testField({ default: 'Red' }), { ...named, required: false }])).toEqual({
    q1: 'Red',
  });
});

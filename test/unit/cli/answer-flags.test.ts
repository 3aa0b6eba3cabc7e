import { Readable } from 'node:stream';
import { type AnswerFlags, parseAnswerFlags } from '#cli/answer-flags';
import { readStdinText } from '#cli/read-stdin';
import type { Question, QuestionField } from '#contract/question';
import {
  askingConversation,
  colourQuestion,
  pendingQuestion,
  sizesQuestion,
} from '#test/support/core/conversation-fixture';

const questionOf = (...fields: Partial<QuestionField>[]): Question => {
  const question = pendingQuestion(askingConversation());
  const [template] = question.fields;
  return {
    ...question,
    fields: fields.map((field, index) => {
      const key = `q${index + 1}`;
      const defaults = { key, header: key, question: `Text ${key}?`, options: undefined };
      return { ...(template as QuestionField), ...defaults, ...field };
    }),
  };
};

const parse = (question: Question, flags: AnswerFlags, stdin = '') =>
  parseAnswerFlags(question, flags, async () => stdin);

const parseError = (question: Question, flags: AnswerFlags, stdin?: string) =>
  parse(question, flags, stdin).then(
    () => Promise.reject(new Error('it was taken')),
    (error) => error,
  );

const red = { options: [{ label: 'Red' }, { label: 'Dark red' }, { label: 'Blue' }] };

describe('an answer by flags', () => {
  const twoFields = questionOf(
    { ...red, header: 'Colour', question: 'Which colour = best?' },
    { header: 'Name', question: 'Which name?' },
  );

  it.each([
    ['its key', 'q1=Red'],
    ['its header', 'Colour=Red'],
    ['its header in another case', 'colour=Red'],
    ['its exact text, with an = in it', 'Which colour = best?=Red'],
  ])('names a field by %s', async (_how, flag) => {
    expect(await parse(twoFields, { field: [flag, 'q2=x=y'] })).toEqual({ answers: { q1: 'Red', q2: 'x=y' } });
  });

  it('prefers a key to a header, and rejects a header of two fields', async () => {
    const confusing = questionOf({ header: 'q2' }, { header: 'Same' }, { header: 'Same' });
    const field = ['q1=a', 'q2=b', 'q3=c'];
    expect((await parse(confusing, { field })).answers).toEqual({ q1: 'a', q2: 'b', q3: 'c' });
    expect(await parseError(confusing, { field: ['Same=a'] })).toMatchObject({ exit: 2 });
  });

  it.each([
    [
      'nope=1',
      '--field "nope=1" matches no field of this question. Use name=value with one of: q1 (Colour), q2 (Name).',
    ],
    ['Red', '--field "Red" has no "=". Use name=value with one of: q1 (Colour), q2 (Name).'],
  ])('rejects %j, and lists the fields', async (flag, message) => {
    expect(await parseError(twoFields, { field: [flag] })).toMatchObject({ exit: 2, code: 'usage', message });
  });

  it('finds a label in other case if there is only one, and sends it as defined', async () => {
    const labels = questionOf({ options: [{ label: 'Yes' }, { label: 'NO' }, { label: 'No' }] });
    expect((await parse(labels, { field: ['q1=yes'] })).answers).toEqual({ q1: 'Yes' });
    expect((await parse(labels, { field: ['q1=No'] })).answers).toEqual({ q1: 'No' });
    expect(await parseError(labels, { field: ['q1=no'] })).toMatchObject({ exit: 5 });
  });

  it.each([
    ['a whole number', { type: 'integer' }, '12', 12],
    ['a number', { type: 'number' }, '-1.5e3', -1500],
    ['a boolean', { type: 'boolean' }, 'Yes', true],
    ['a boolean', { type: 'boolean' }, 'false', false],
    ['text that looks like a number', { type: 'string' }, '007', '007'],
    ['a date', { type: 'string', format: 'date' }, ' 2026-11-16 ', '2026-11-16'],
    ['one of a list', { type: 'string', enum: ['Small', 'Large'] }, 'large', 'Large'],
  ] as const)("converts %s by the field's schema", async (_what, schema, text, value) => {
    const question = questionOf({ schema: schema as unknown as QuestionField['schema'] });
    expect((await parse(question, { field: [`q1=${text}`] })).answers).toEqual({ q1: value });
  });

  it('takes several options and a custom one, or none if that is allowed', async () => {
    const many = questionOf({ options: sizesQuestion.options, multiSelect: true, allowOther: true });
    const answers = { q1: ['S', 'L', { other: 'XXL' }] };
    expect(await parse(many, { field: ['q1=s', 'q1=L'], other: ['q1=XXL'], comment: 'Loose' })).toEqual({
      answers,
      comment: 'Loose',
    });
    const list = questionOf({ schema: { type: 'array', items: { enum: ['A', 'B'] }, minItems: 0 } });
    expect((await parse(list, { field: ['q1='] })).answers).toEqual({ q1: [] });
  });

  it('takes a custom answer only if the field allows it', async () => {
    const openChoice = questionOf({ options: colourQuestion.options, allowOther: true });
    expect((await parse(openChoice, { other: ['q1=Green'] })).answers).toEqual({ q1: { other: 'Green' } });
    const fixed = questionOf({ options: colourQuestion.options, allowOther: false });
    expect(await parseError(fixed, { other: ['q1=Green'] })).toMatchObject({
      exit: 5,
      message: 'Answer not accepted. q1: this question does not accept "other" (allowed: "Red", "Blue").',
    });
    expect(await parseError(questionOf({}), { other: ['q1=Green'] })).toMatchObject({
      message: 'Answer not accepted. q1: has no "other" option: use --field.',
    });
  });

  it('reports every error at once, with the allowed values', async () => {
    const question = questionOf(
      { ...red, allowOther: true },
      { schema: { type: 'integer', minimum: 1, maximum: 5 } },
      { schema: { type: 'boolean' } },
      { ...red },
    );
    const error = await parseError(question, { field: ['q1=Grey', 'q2=many', 'q3=maybe'] });
    expect(error).toMatchObject({ exit: 5, code: 'invalid_answer' });
    expect(error.errors).toEqual([
      {
        path: 'answers.q1',
        message: '"Grey" is not one of the options (for a custom answer, use --other)',
        allowed: ['Red', 'Dark red', 'Blue'],
      },
      { path: 'answers.q2', message: 'must be a whole number from 1 to 5' },
      { path: 'answers.q3', message: 'must be true or false' },
      { path: 'answers.q4', message: '"Text q4?" has no answer', allowed: ['Red', 'Dark red', 'Blue'] },
    ]);
  });

  it('takes one value for a single-value field', async () => {
    const field = ['q1=Red', 'q1=Blue'];
    expect((await parseError(questionOf(red), { field })).message).toContain('q1: choose only one option');
    expect((await parseError(questionOf({}), { field })).message).toContain('q1: takes only one value');
  });
});

describe('an answer on stdin', () => {
  const question = questionOf(red, { required: false });

  it.each([
    ['a request body of the API', { answers: { q1: 'Red' }, comment: 'Warm' }, 'Warm'],
    ['only the answers', { q1: 'Red' }, undefined],
    ['the answers by text', { 'Text q1?': 'Red' }, undefined],
  ])('may be %s', async (_what, body, comment) => {
    const { answers, ...rest } = await parse(question, { isBody: true }, JSON.stringify(body));
    expect(answers).toEqual({ q1: 'Red' });
    expect(rest).toEqual({ comment });
  });

  it('may be one value if there is one field', async () => {
    expect(await parse(questionOf(red), { isBody: true, comment: 'Hm' }, '{"answer": "Blue"}')).toEqual({
      answers: { q1: 'Blue' },
      comment: 'Hm',
    });
  });

  it('may be for a field named "answer"', async () => {
    const named = questionOf({ question: 'answer' }, { required: false });
    expect((await parse(named, { isBody: true }, '{"answer": "x"}')).answers).toEqual({ q1: 'x' });
  });

  it.each([
    ['{"answers"', 'stdin must be a JSON object'],
    ['[1]', 'stdin must be a JSON object'],
    ['{"answer": "Red", "comment": 1}', 'The comment on stdin must be a string.'],
    ['{"answer": "Red", "remark": "x"}', 'Unknown property "remark" on stdin.'],
  ])('is wrong usage if it is %s', async (text, message) => {
    const error = await parseError(question, { isBody: true }, text);
    expect([error.exit, error.message]).toEqual([2, expect.stringContaining(message)]);
  });

  it('is validated like any other', async () => {
    const error = await parseError(question, { isBody: true }, '{"q1": "Grey", "q9": 1}');
    expect(error).toMatchObject({ exit: 5, code: 'invalid_answer' });
    expect(error.errors).toHaveLength(2);
  });

  it('cannot be combined with flags', async () => {
    const error = await parseError(question, { isBody: true, field: ['q1=Red'] }, '{}');
    expect(error).toMatchObject({ exit: 2 });
  });

  it('is read to its end, and required', async () => {
    expect(await readStdinText(Readable.from(['{"q1":', ' "é"}']))).toBe('{"q1": "é"}');
    await expect(readStdinText(Readable.from(Array(20).fill('x'.repeat(100_000))))).rejects.toMatchObject({
      exit: 2,
    });
    await expect(readStdinText(Object.assign(Readable.from([]), { isTTY: true }))).rejects.toMatchObject({
      exit: 2,
    });
  });
});

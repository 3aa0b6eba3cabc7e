import { createSlackFixture, type SlackFixture } from '#test/support/slack/slack-fixture';
import type { FakeSlackInput } from '#test/support/slack/web-api-methods';

const enumOf = (...choices: string[]) => ({ type: 'string', enum: choices });
const elevenLabels = Array.from({ length: 11 }, (_, index) => `Option ${index + 1}`);
const toOptions = (labels: string[]) => labels.map((label) => ({ label }));

/** The question, the control it is shown as, the input, and the resulting answer. */
const FIELDS: [string, object, string, string | number | string[], unknown][] = [
  ['free text', {}, 'plain_text_input', 'Rose & <Vera>', 'Rose & <Vera>'],
  ['a few options', { options: toOptions(['A', 'B', 'C', 'D', 'E', 'F']) }, 'radio_buttons', 'B', 'B'],
  ['many options', { options: toOptions(elevenLabels) }, 'static_select', 'Option 11', 'Option 11'],
  [
    'several of a few',
    { options: toOptions(['A', 'B', 'C']), multiSelect: true },
    'checkboxes',
    ['A', 'C'],
    ['A', 'C'],
  ],
  [
    'several of many',
    { options: toOptions(elevenLabels), multiSelect: true },
    'multi_static_select',
    ['Option 2', 'Option 11'],
    ['Option 2', 'Option 11'],
  ],
  ['a choice by schema', { schema: enumOf('a', 'b', 'c', 'd', 'e', 'f') }, 'radio_buttons', 'c', 'c'],
  [
    'several by schema',
    { schema: { type: 'array', items: { enum: ['x', 'y', 'z'] } } },
    'checkboxes',
    ['y', 'z'],
    ['y', 'z'],
  ],
  ['a whole number', { schema: { type: 'integer', minimum: 1 } }, 'number_input', '7', 7],
  ['a number', { schema: { type: 'number' } }, 'number_input', '-1.5', -1.5],
  ['an address', { schema: { type: 'string', format: 'email' } }, 'email_text_input', 'a@example.org', 'a@example.org'],
  [
    'a web address',
    { schema: { type: 'string', format: 'uri' } },
    'url_text_input',
    'https://example.org/x',
    'https://example.org/x',
  ],
  ['a date', { schema: { type: 'string', format: 'date' } }, 'datepicker', '2026-12-24', '2026-12-24'],
  [
    'a date and time',
    { schema: { type: 'string', format: 'date-time' } },
    'datetimepicker',
    1_798_120_800,
    '2026-12-24T14:00:00.000Z',
  ],
  ['text of a pattern', { schema: { type: 'string', pattern: '^[A-Z]+$' } }, 'plain_text_input', 'ABC', 'ABC'],
];

describe('the form in Slack', () => {
  let fixture: SlackFixture;
  beforeAll(async () => {
    fixture = await createSlackFixture();
  });
  beforeEach(() => {
    fixture.slack.ephemerals.length = 0;
  });
  afterAll(() => fixture.stop());

  const inputs = ({ blocks }: { blocks: FakeSlackInput[] }) => blocks.filter(({ type }) => type === 'input');

  it('has a control for each kind of field, and answers all of them', async () => {
    const fields = FIELDS.map(([question, rest]) => ({ question, ...rest }));
    const { id, message } = await fixture.askQuestion(fields);
    const view = await fixture.openForm(message, 'Answer…');
    const fieldInputs = inputs(view).filter(({ block_id }) => block_id?.startsWith('field_'));
    expect(fieldInputs.map(({ element }) => element?.type)).toEqual(FIELDS.map(([, , control]) => control));
    const values = Object.fromEntries(FIELDS.map(([, , , input], index) => [`field_q${index + 1}`, input]));
    const { action } = await fixture.userActions.submit(view, values);
    expect(action).toEqual({ response_action: 'clear' });
    const { outcome } = await fixture.getQuestion(id);
    expect(outcome).toMatchObject({ by: 'maria', via: 'slack' });
    expect(Object.values(outcome?.answers ?? {})).toEqual(FIELDS.map(([, , , , value]) => value));
  });

  it('accepts a custom answer and a comment', async () => {
    const { id, message } = await fixture.askQuestion('colour');
    const view = await fixture.openForm(message, 'Other…');
    await fixture.userActions.submit(view, { other_q1: 'Green', comment: 'Like <grass>' });
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({
      answers: { q1: { other: 'Green' } },
      comment: 'Like <grass>',
      by: 'maria',
    });
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by maria'));
  });

  it('accepts a custom answer beside several options', async () => {
    const options = toOptions(['A', 'B']);
    const { id, message } = await fixture.askQuestion({ question: 'Which?', options, multiSelect: true });
    const view = await fixture.openForm(message, 'Answer…');
    await fixture.userActions.submit(view, { field_q1: ['B'], other_q1: 'C' });
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: ['B', { other: 'C' }] });
  });

  it('accepts a comment with an approval', async () => {
    const { id, message } = await fixture.askQuestion('confirm');
    const view = await fixture.openForm(message, 'Add a comment…');
    expect(JSON.stringify(view.blocks)).toContain('\\"shed\\": 7');
    await fixture.userActions.submit(view, { field_q1: 'Yes, proceed', comment: 'Only this one' });
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({
      answers: { q1: 'Yes, proceed' },
      comment: 'Only this one',
    });
  });

  it('is prefilled with the defaults', async () => {
    const { id, message } = await fixture.askQuestion([
      { question: 'Text?', default: 'so' },
      { question: 'One?', options: toOptions(['A', 'B']), default: 'B' },
      { question: 'Some?', options: toOptions(['A', 'B', 'C']), multiSelect: true, default: ['C', 'A'] },
      { question: 'Number?', schema: { type: 'number' }, default: 2.5 },
      { question: 'Sure?', schema: { type: 'boolean' }, default: false },
      { question: 'Day?', schema: { type: 'string', format: 'date' }, default: '2026-12-24' },
    ]);
    const view = await fixture.openForm(message, 'Answer…');
    await fixture.userActions.submit(view, {});
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({
      q1: 'so',
      q2: 'B',
      q3: ['A', 'C'],
      q4: 2.5,
      q5: false,
      q6: '2026-12-24',
    });
  });

  it('may leave optional fields empty, and replaces a default with a custom answer', async () => {
    const { id, message } = await fixture.askQuestion([
      { question: 'Note?', schema: { type: 'string', minLength: 0 } },
      { question: 'Any?', schema: { type: 'array', items: { enum: ['x'] }, minItems: 0 } },
      { question: 'One?', options: toOptions(['A', 'B']), default: 'B' },
    ]);
    const view = await fixture.openForm(message, 'Answer…');
    await fixture.userActions.submit(view, { other_q3: 'C' });
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: '', q2: [], q3: { other: 'C' } });
  });

  it('shows each error at its input, and accepts a second submission', async () => {
    const { id, message } = await fixture.askQuestion([
      { question: 'One?', options: toOptions(['A', 'B']) },
      { question: 'How many?', schema: { type: 'integer', maximum: 10 } },
      { question: 'Code?', schema: { type: 'string', pattern: '^[A-Z]+$', minLength: 3 } },
      { question: 'Name?' },
    ]);
    const view = await fixture.openForm(message, 'Answer…');
    const invalidValues = { field_q2: '12', field_q3: 'a', field_q4: 'Rose' };
    const { action } = await fixture.userActions.submit(view, invalidValues);
    expect(action).toEqual({
      response_action: 'errors',
      errors: {
        field_q1: 'Required',
        field_q2: 'Must be a whole number of at most 10',
        field_q3: 'Must be at least 3 characters; must match the pattern ^[A-Z]+$',
      },
    });
    expect((await fixture.getQuestion(id)).status).toBe('pending');
    const validValues = { field_q1: 'A', field_q2: '2', field_q3: 'ABC', field_q4: 'Rose' };
    expect((await fixture.userActions.submit(view, validValues)).action).toEqual({ response_action: 'clear' });
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'A', q2: 2, q3: 'ABC', q4: 'Rose' });
  });

  it('shows who answered if it is late, and updates the message', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    await fixture.p.answer(id, { answer: 'Rose' });
    const { action } = await fixture.userActions.submit(view, { field_q1: 'Vera' });
    expect(action.response_action).toBe('update');
    expect(JSON.stringify(action.view)).toContain(
      'Too late: this question is already closed. Answered by ann over HTTP',
    );
    await fixture.slack.waitFor(() => message.text.startsWith('Answered by ann'));
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Rose' });
  });

  it('is not accepted for an earlier question with the same id', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    const { askedAt } = await fixture.getQuestion(id);
    const private_metadata = view.private_metadata.replace(askedAt, '2026-01-01T00:00:00.000Z');
    const { action } = await fixture.userActions.submit({ ...view, private_metadata }, { field_q1: 'Vera' });
    expect(JSON.stringify(action.view)).toContain('This question no longer exists');
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('stays filled in if Slack does not identify the sender', async () => {
    fixture.slack.addUser({ id: 'U0ONCE', email: 'bob@example.com' });
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    fixture.slack.failNext('users.info', { status: 500 });
    const { action } = await fixture.userActions.submit(view, { field_q1: 'Rose' }, { user: 'U0ONCE' });
    expect(action).toEqual({
      response_action: 'errors',
      errors: { comment: expect.stringContaining('Slack is unavailable') },
    });
    const retry = await fixture.userActions.submit(view, { field_q1: 'Rose' }, { user: 'U0ONCE' });
    expect(retry.action).toEqual({ response_action: 'clear' });
    expect((await fixture.getQuestion(id)).outcome).toMatchObject({ answers: { q1: 'Rose' }, by: 'bob' });
    expect(fixture.slack.ephemerals).toEqual([]);
  });

  it('counts once if it is sent twice', async () => {
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    const both = await Promise.all([1, 2].map(() => fixture.userActions.submit(view, { field_q1: 'Rose' })));
    expect(both.map(({ action }) => action.response_action)).toEqual(['clear', 'clear']);
    expect((await fixture.getQuestion(id)).outcome?.answers).toEqual({ q1: 'Rose' });
  });

  it.each([
    ['who is known but was not asked', 'U0EVE', "the conversation's owner"],
    ['who is unknown', 'U0NOBODY', 'slack:T0HOME/U0NOBODY'],
  ])('of a person %s is not accepted', async (_who, user, expected) => {
    fixture.slack.addUser({ id: 'U0NOBODY' });
    const { id, message } = await fixture.askQuestion('name');
    const view = await fixture.openForm(message, 'Answer…');
    const { action } = await fixture.userActions.submit(view, { field_q1: 'Vera' }, { user });
    expect(JSON.stringify(action.view)).toMatch(/you can't answer/i);
    expect(JSON.stringify(action.view)).toContain(expected);
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });

  it('shows an error if the answer exceeds the limit', async () => {
    const { id, message } = await fixture.askQuestion(
      Array.from({ length: 15 }, (_, index) => ({ question: `Q${index}?` })),
    );
    const view = await fixture.openForm(message, 'Answer…');
    const values = Object.fromEntries(
      Array.from({ length: 15 }, (_, index) => [`field_q${index + 1}`, 'ä'.repeat(3_000)]),
    );
    const { action } = await fixture.userActions.submit(view, values);
    expect(action).toMatchObject({
      response_action: 'errors',
      errors: { comment: expect.stringContaining('up to 32 KB') },
    });
    expect((await fixture.getQuestion(id)).status).toBe('pending');
  });
});

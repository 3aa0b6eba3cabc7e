import type { z } from 'zod';
import { AgentFile, AgentName } from '#contract/agent';
import { ConversationId } from '#contract/conversation';
import { PROBLEMS } from '#contract/problem';
import {
  AnswerBody,
  CancelBody,
  ConversationListQuery,
  DeclineBody,
  InboxQuery,
  MessageBody,
  StartBody,
  TimelineQuery,
} from '#contract/requests';
import { Duration } from '#contract/time';

const accepts = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success;

/** The paths of the errors. */
function issuePaths(schema: z.ZodType, value: unknown): string[] {
  return schema.safeParse(value).error?.issues.map((issue) => issue.path.join('.')) ?? [];
}

describe('a duration', () => {
  it.each([
    ['1s', 1_000],
    ['90s', 90_000],
    ['15m', 900_000],
    ['4h', 14_400_000],
    ['3d', 259_200_000],
    ['3650d', 3_650 * 86_400_000],
    ['87600h', 3_650 * 86_400_000],
    ['never', null],
  ])('can be written %s', (text, ms) => {
    expect(Duration.parse(text)).toBe(ms);
  });

  it.each([
    '',
    '0s',
    '0d',
    '3651d',
    '87601h',
    '999999999999d',
    '9999999999999s',
    '-1h',
    '1.5h',
    '1e3s',
    '1 h',
    ' 1h',
    '1h ',
    '1h30m',
    '1H',
    '1w',
    '1ms',
    'h',
    '60',
    'Never',
    'always',
    60,
    null,
    undefined,
    ['1h'],
  ])('cannot be written %j', (text) => {
    expect(accepts(Duration, text)).toBe(false);
  });
});

describe('the body of a start request', () => {
  const fullBody = {
    agent: 'clerk',
    message: 'Hello',
    id: 'c-1',
    metadata: { order: 7 },
    callbackUrl: 'https://example.com/hook',
    visibleTo: ['ada'],
    assignees: ['bob'],
    question: { timeout: '2h', onTimeout: 'fail' },
  };

  it('requires only a message; the default agent is the assistant', () => {
    expect(StartBody.parse({ message: 'Hello' })).toEqual({ agent: 'assistant', message: 'Hello' });
    expect(StartBody.parse(fullBody)).toEqual({ ...fullBody, question: { timeout: 7_200_000, onTimeout: 'fail' } });
  });

  it('keeps the message unchanged, white space included', () => {
    expect(StartBody.parse({ message: ' Hello\n' }).message).toBe(' Hello\n');
  });

  it.each([
    ['message', [undefined, null, 5, '', ' \n\t', ['Hello']]],
    ['id', ['', 'a/b', 'a b', 'ä', 'x'.repeat(129), "a'b", null, 5]],
    ['metadata', [[], 'x', { data: 'x'.repeat(8_200) }, { data: 'é'.repeat(4_100) }]],
    ['callbackUrl', ['example.com', 'ftp://example.com', 'javascript:alert(1)', `https://e.com/${'x'.repeat(2_048)}`]],
    ['visibleTo', ['ada', Array.from({ length: 51 }, (_, n) => `p${n}`)]],
    ['question', ['2h', []]],
  ])('gets an error for %s', (field, values) => {
    for (const value of values) expect(issuePaths(StartBody, { ...fullBody, [field]: value })).toEqual([field]);
  });

  it.each([
    ['visibleTo.0', { visibleTo: [''] }],
    ['visibleTo.0', { visibleTo: ['x'.repeat(256)] }],
    ['assignees.1', { assignees: ['ada', 'a\0b'] }],
    ['question.timeout', { question: { timeout: '0s' } }],
    ['question.onTimeout', { question: { onTimeout: 'panic' } }],
  ])('gets an error at %s', (path, overrides) => {
    expect(issuePaths(StartBody, { ...fullBody, ...overrides })).toEqual([path]);
  });

  it('is accepted at every limit', () => {
    const metadata = { data: 'x'.repeat(8 * 1_024 - '{"data":""}'.length) };
    const atLimit = {
      id: 'x'.repeat(128),
      metadata,
      visibleTo: Array.from({ length: 50 }, () => 'x'.repeat(255)),
    };
    expect(issuePaths(StartBody, { ...fullBody, ...atLimit })).toEqual([]);
  });
});

it.each([
  ['a start', StartBody, { message: 'Hello' }],
  ['a message', MessageBody, { text: 'Hello' }],
  ['a cancel', CancelBody, {}],
  ['an answer', AnswerBody, { answers: { q1: 'Red' } }],
  ['a decline', DeclineBody, {}],
  ['a list', ConversationListQuery, {}],
  ['an inbox', InboxQuery, {}],
  ['a timeline', TimelineQuery, {}],
])('rejects unknown fields in %s, and bodies that are not objects', (_case, schema, body) => {
  expect(accepts(schema, body)).toBe(true);
  for (const key of ['colour', '__proto__', 'constructor', 'Message'])
    expect([
      key,
      accepts(schema, JSON.parse(JSON.stringify({ ...body, key: 1 }).replace('"key"', `"${key}"`))),
    ]).toEqual([key, false]);
  for (const nonObject of [null, undefined, 'text', 5, [], true]) expect(accepts(schema, nonObject)).toBe(false);
});

describe('the query of a list', () => {
  it.each([ConversationListQuery, InboxQuery])('has a limit of 20 by default, and of 1 to 100', (schema) => {
    expect(schema.parse({}).limit).toBe(20);
    expect(schema.parse({ limit: '1' }).limit).toBe(1);
    expect(schema.parse({ limit: '100' }).limit).toBe(100);
    for (const limit of ['0', '101', '-1', '1.5', '', ' 5', '1e2', 'all', '1000', ['5', '6'], 5])
      expect([limit, issuePaths(schema, { limit })]).toEqual([limit, ['limit']]);
  });

  it('accepts only known statuses', () => {
    for (const status of ['running', 'waiting_for_input', 'completed', 'failed', 'cancelled'])
      expect(accepts(ConversationListQuery, { status })).toBe(true);
    for (const status of ['', 'pending', 'Running']) expect(accepts(ConversationListQuery, { status })).toBe(false);
    expect(InboxQuery.parse({}).status).toBe('pending');
    expect(accepts(InboxQuery, { status: 'answered' })).toBe(false);
  });

  it.each(["x' OR ParleyStatus != '", 'a"b', 'a\\b', 'a b', '', 'x'.repeat(129)])(
    'never passes %j into a Visibility query',
    (name) => {
      expect(issuePaths(ConversationListQuery, { agent: name })).toEqual(['agent']);
      expect(issuePaths(InboxQuery, { agent: name, conversation: name })).toEqual(['agent', 'conversation']);
    },
  );

  it('accepts a whole number as the position in a timeline', () => {
    expect(TimelineQuery.parse({}).after).toBe(0);
    expect(TimelineQuery.parse({ after: '12' }).after).toBe(12);
    for (const after of ['-1', '1.5', '', 'x', '9'.repeat(16), ['1']])
      expect(accepts(TimelineQuery, { after })).toBe(false);
  });
});

describe('the body of an answer', () => {
  it('keeps every key as sent, even __proto__, so that the error can name it', () => {
    const body = AnswerBody.parse(JSON.parse('{"answers": {"__proto__": "Red", "constructor": 1, "q1": null}}'));
    expect(Object.keys(body.answers ?? {})).toEqual(['__proto__', 'constructor', 'q1']);
  });

  it('leaves "answers" and "answer" to the question, and allows nothing else', () => {
    for (const answer of ['Red', false, 0, null, ['Red'], { other: 'Mauve' }])
      expect(AnswerBody.parse({ answer })).toEqual({ answer });
    for (const answers of [null, 'Red', 5, ['Red'], {}]) expect(AnswerBody.parse({ answers })).toEqual({ answers });
    expect(accepts(AnswerBody, { answer: 'Red', colour: 'red' })).toBe(false);
    expect(issuePaths(AnswerBody, { answer: 'Red', comment: 5 })).toEqual(['comment']);
  });
});

it("limits the size of people's input", () => {
  for (const schema of [DeclineBody, CancelBody]) {
    expect(accepts(schema, { reason: 'x'.repeat(4_000) })).toBe(true);
    expect(accepts(schema, { reason: 'x'.repeat(4_001) })).toBe(false);
  }
  for (const text of ['', ' \n', 5, null]) expect(accepts(MessageBody, { text })).toBe(false);
  for (const id of ['A.b_c-9', '...', '.a', 'x'.repeat(128)]) expect(accepts(ConversationId, id)).toBe(true);
  for (const id of ['', '.', '..', 'a b', 'x'.repeat(129)]) expect(accepts(ConversationId, id)).toBe(false);
});

it('requires lower-case agent names, and has the limits that API and tools rely on', () => {
  for (const name of ['a', 'order-clerk', '9', 'x'.repeat(64)]) expect(accepts(AgentName, name)).toBe(true);
  for (const name of ['', '-a', 'A', 'a b', 'a.b', 'x'.repeat(65)]) expect(accepts(AgentName, name)).toBe(false);
  expect(AgentFile.parse({ name: 'a', description: 'b' }).questions).toEqual({
    timeout: 24 * 3_600_000,
    onTimeout: 'continue',
    remind: [],
    escalate: [],
    notify: [],
    perTurn: 25,
    perConversation: 100,
    maxQuestions: 4,
    maxOptions: 4,
    assignees: [],
  });
});

it('every problem has a status that fits its code', () => {
  for (const [code, [status, title]] of Object.entries(PROBLEMS)) {
    expect(title).toMatch(/^[A-Z]/);
    expect(status).toBeGreaterThanOrEqual(400);
    if (code.endsWith('_not_found')) expect(status).toBe(404);
    if (code.startsWith('question_') && code !== 'question_not_found') expect(status).toBe(409);
    if (code.endsWith('_unavailable')) expect(status).toBe(503);
  }
});

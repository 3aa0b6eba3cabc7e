import fc from 'fast-check';
import {
  createConversationEndedEvent,
  createQuestionAnsweredEvent,
  createQuestionPendingEvent,
  MAX_WEBHOOK_BODY_BYTES,
  serializeWebhookEvent,
} from '#channels/webhook/payload';
import { Conversation } from '#contract/conversation';
import { exampleAnsweredQuestion, exampleQuestion } from '#contract/operations/examples';
import { Question } from '#contract/question';
import { jsonBytes } from '#core/json';
import {
  webhookConversationEnd,
  webhookNotification,
  webhookResolvedCopy,
} from '#test/support/webhook/webhook-samples';

const [field] = exampleQuestion.fields as [Question['fields'][0]];
const RECEIVER_URL = 'https://hooks.example.com/';
const SELF = 'https://parley.example.com/v1/conversations/offsite';
const QUESTION_URL = `${SELF}/questions/question-1`;

const pendingBody = (more: Partial<Question>) =>
  serializeWebhookEvent(
    createQuestionPendingEvent(webhookNotification(RECEIVER_URL, { question: { ...exampleQuestion, ...more } })),
  );
const answeredBody = (more: Partial<Question>) =>
  serializeWebhookEvent(
    createQuestionAnsweredEvent(
      webhookResolvedCopy(RECEIVER_URL, { question: { ...exampleAnsweredQuestion, ...more } }),
    ),
  );
const endedBody = (more: Partial<Conversation>) =>
  serializeWebhookEvent(createConversationEndedEvent(webhookConversationEnd(RECEIVER_URL, more)));

function parseData(body: string) {
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(MAX_WEBHOOK_BODY_BYTES);
  return JSON.parse(body).data;
}

describe('a question', () => {
  it('of 16 KB, the maximum, is sent in full', () => {
    const fields = [{ ...field, question: 'x'.repeat(16_384 - jsonBytes(exampleQuestion)) }];
    const data = parseData(pendingBody({ fields }));
    expect(jsonBytes(data.question)).toBeGreaterThan(16_000);
    expect(data.question.fields).toEqual(fields);
    expect(data).not.toHaveProperty('truncated');
  });

  const long = 'c'.repeat(9_000);
  const confirms = { tool: 'pay', arguments: { note: long }, digest: 'f00' };

  it('loses its context and arguments first, then its fields, and says where the rest is', () => {
    const first = parseData(pendingBody({ context: long, confirms, fields: [{ ...field, question: long }] }));
    expect(first).toMatchObject({ truncated: true, fullUrl: QUESTION_URL, answerUrl: `${QUESTION_URL}/answer` });
    expect(first.question).toMatchObject({
      context: null,
      confirms: { ...confirms, arguments: null },
      fields: [{ question: long }],
    });
    const second = parseData(pendingBody({ fields: [{ ...field, question: long.repeat(3) }] }));
    expect(second.question.fields).toEqual([]);
    expect(Question.parse(second.question)).toBeTruthy();
  });

  it('that is closed keeps its answers longer, and they are never cut', () => {
    const outcome = { ...exampleAnsweredQuestion.outcome, at: exampleQuestion.askedAt, answers: { q1: long } };
    const first = parseData(answeredBody({ context: long.repeat(2), outcome }));
    expect(first.question).toMatchObject({ context: null, outcome });
    const second = parseData(answeredBody({ outcome: { ...outcome, comment: long.repeat(3) } }));
    expect(second.question.outcome).not.toHaveProperty('answers');
    expect(second).toMatchObject({ truncated: true, fullUrl: QUESTION_URL });
    expect(second.question).toMatchObject({ status: 'answered', outcome: { by: 'maria', via: 'http' } });
  });
});

describe('an end', () => {
  const metadata = { ticket: 'm'.repeat(8_000) };

  it('has its full result up to 10,000 characters', () => {
    expect(parseData(endedBody({ result: 'r'.repeat(10_000) }))).not.toHaveProperty('truncated');
    const data = parseData(endedBody({ result: 'r'.repeat(10_001) }));
    expect(data).toMatchObject({ truncated: true, fullUrl: SELF });
    expect(data.conversation.result).toBe(`${'r'.repeat(10_000)}…`);
  });

  it('loses its to-do list and parts of the result first, and its metadata last', () => {
    const todos = Array.from({ length: 100 }, () => ({
      content: 't'.repeat(200),
      status: 'pending' as const,
    }));
    const first = parseData(endedBody({ todos, metadata, result: 'r'.repeat(9_000) }));
    expect(first.conversation).toMatchObject({ todos: [], metadata, result: `${'r'.repeat(2_000)}…` });
    const second = parseData(endedBody({ metadata, result: '水'.repeat(9_000) }));
    expect(second.conversation).toMatchObject({ metadata, result: `${'水'.repeat(2_000)}…` });
    const third = parseData(endedBody({ metadata, result: '\u0001'.repeat(9_000) }));
    expect(third.conversation).toMatchObject({ metadata: {} });
    expect(Conversation.parse(third.conversation)).toBeTruthy();
  });

  it('that failed loses parts of its error', () => {
    const error = { code: 'model_failed', message: 'e'.repeat(30_000) };
    const { conversation } = parseData(endedBody({ status: 'failed', result: null, error }));
    expect(conversation.error).toEqual({ code: 'model_failed', message: `${'e'.repeat(1_000)}…` });
  });
});

it('is always JSON of less than 20 KB, for any content, and no character is split', () => {
  const text = fc
    .tuple(fc.constantFrom('x', '水', '🙂', '"', '\u0000', '\uD800'), fc.nat(12_000))
    .map(([first, times]) => first.repeat(times));
  const option = fc.record({ label: text, description: text });
  const parts = fc.record({
    context: text,
    fields: fc.array(
      fc.record({ label: text, options: fc.array(option, { maxLength: 3 }) }).map(({ label, options }) => ({
        ...field,
        question: label,
        options,
      })),
      { maxLength: 3 },
    ),
    outcome: fc.record({
      answers: fc.dictionary(fc.constant('q1'), text),
      comment: text,
      at: fc.constant(exampleQuestion.askedAt),
    }),
  });
  fc.assert(
    fc.property(parts, text, (more, result) => {
      for (const body of [
        pendingBody(more),
        answeredBody(more),
        endedBody({ result, metadata: { text: more.context } }),
      ])
        expect(parseData(body)).toHaveProperty('conversationId', 'offsite');
    }),
    { numRuns: 30 },
  );
  const { conversation } = parseData(endedBody({ result: `x${'🙂'.repeat(20_000)}` }));
  expect(conversation.result.isWellFormed()).toBe(true);
});

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

  it('loses its context first, then descriptions, then arguments, and says where the rest is', () => {
    const options = [{ label: 'Seaside', description: 'd'.repeat(6_000) }];
    const context = 'c'.repeat(9_000);
    const confirms = { tool: 'pay', arguments: { note: 'a'.repeat(9_000) }, digest: 'f00' };
    const first = parseData(pendingBody({ context, fields: [{ ...field, options }], confirms }));
    expect(first).toMatchObject({
      truncated: true,
      fullUrl: QUESTION_URL,
      answerUrl: `${QUESTION_URL}/answer`,
    });
    expect(first.question.context).toBe(`${'c'.repeat(500)}…`);
    expect(first.question).toMatchObject({ fields: [{ options }], confirms });

    const longOptions = [{ label: 'Seaside', description: 'd'.repeat(15_000) }];
    const second = parseData(pendingBody({ context, fields: [{ ...field, options: longOptions }], confirms }));
    expect(second.question.fields[0].options).toEqual([{ label: 'Seaside' }]);
    expect(second.question.confirms).toEqual(confirms);

    const hugeConfirms = { ...confirms, arguments: { note: 'a'.repeat(30_000) } };
    const third = parseData(
      pendingBody({ context, fields: [{ ...field, options: longOptions }], confirms: hugeConfirms }),
    );
    expect(third.question.confirms).toEqual({ ...confirms, arguments: null });
    expect(Question.parse(third.question)).toBeTruthy();
  });

  it('that is closed keeps its answers longest, and they are never cut', () => {
    const outcome = {
      ...exampleAnsweredQuestion.outcome,
      at: exampleQuestion.askedAt,
      answers: { q1: 'a'.repeat(9_000) },
    };
    const context = 'c'.repeat(9_000);
    const notices = Array.from({ length: 50 }, () => ({
      at: exampleQuestion.askedAt,
      channel: 'log',
      what: 'asked',
    }));
    const first = parseData(answeredBody({ context, notices, outcome }));
    expect(first.question).toMatchObject({ notices: [], context, outcome });
    const outcomeWithComment = { ...outcome, comment: 'm'.repeat(30_000) };
    const second = parseData(answeredBody({ context, outcome: outcomeWithComment }));
    expect(second.question.outcome).toMatchObject({ answers: outcome.answers, comment: `${'m'.repeat(500)}…` });
    const third = parseData(
      answeredBody({ context, outcome: { ...outcomeWithComment, answers: { q1: 'a'.repeat(30_000) } } }),
    );
    expect(third.question.outcome).not.toHaveProperty('answers');
    expect(third).toMatchObject({ truncated: true, fullUrl: QUESTION_URL });
    expect(third.question).toMatchObject({ status: 'answered', outcome: { by: 'maria', via: 'http' } });
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

  it('loses its to-do list first, then parts of the result, and its metadata last', () => {
    const todos = Array.from({ length: 100 }, () => ({
      content: 't'.repeat(200),
      status: 'pending' as const,
    }));
    const first = parseData(endedBody({ todos, metadata, result: 'r'.repeat(9_000) }));
    expect(first.conversation).toMatchObject({ todos: [], metadata, result: 'r'.repeat(9_000) });
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

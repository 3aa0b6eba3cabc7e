import { randomBytes } from 'node:crypto';
import type { Question } from '#contract/question';
import type { ModelRequest, ScriptedReply } from '#models/demo/reply';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import {
  createLatch,
  lastToolResults,
  replyWithError,
  replyWithQuestion,
  replyWithText,
  replyWithToolCalls,
} from '#test/support/scripted-model';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

const SECRET = generateWebhookSecret();
const scout = `scout-${randomBytes(4).toString('hex')}`;
/** With everything around it close to 16 KB, the maximum. */
const LARGE = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ question: `${n}${'x'.repeat(1_999)}` }));

const messagesJson = ({ body }: ModelRequest) => JSON.stringify(body.messages);
let secondQuestion = createLatch();

/** Follows the scenario that the message names. */
async function script(request: ModelRequest): Promise<ScriptedReply> {
  const results = lastToolResults(request).length;
  const messages = messagesJson(request);
  if (/You are scout/.test(JSON.stringify(request.body.system)))
    return results > 0 ? replyWithText('scouted') : replyWithQuestion('Which way?', 'Left', 'Right');
  if (messages.includes('Delegate'))
    return results > 0
      ? replyWithText('done')
      : replyWithToolCalls({ name: 'delegate', input: { agent: scout, task: 'Scout' } });
  if (messages.includes('Ask a lot')) return results > 0 ? replyWithText('done') : replyWithQuestion(LARGE);
  if (messages.includes('Ask twice') && messages.split('tool_result').length === 2) {
    await secondQuestion.hold;
    return replyWithQuestion('And then?', 'C', 'D');
  }
  if (results === 0) return replyWithQuestion('Which?', 'A', 'B');
  return messages.includes('Fail') ? replyWithError(400, { message: 'it broke' }) : replyWithText('done');
}

let parley: TestParley;
let receiver: WebhookReceiver;
beforeAll(async () => {
  parley = await startParley({
    script,
    frontMatter: `subagents: [${scout}]\nquestions: { maxQuestions: 10 }`,
    agents: { [scout]: '' },
    env: { PARLEY_WEBHOOK_SECRETS: `*=${SECRET}` },
  });
});
afterAll(() => parley.stop());
beforeEach(async () => {
  receiver = await startWebhookReceiver(SECRET);
  secondQuestion = createLatch();
});
afterEach(() => receiver.stop());

const startConversation = (message = 'Hello', more = {}) =>
  parley.startConversation(message, { callbackUrl: receiver.url, ...more });
const getQuestion = async (id: string, qid = 'latest') =>
  (await parley.call<Question>('GET', `/v1/conversations/${id}/questions/${qid}`)).body;
const types = (deliveries: ReceivedWebhook[]) => deliveries.map(({ type }) => type);
const countChildWorkflows = async (id: string) => {
  const { events = [] } = await parley.client.workflow.getHandle(id).fetchHistory();
  const countEvents = (name: string) => events?.filter((event) => name in event && event[name as 'eventId']).length;
  return {
    sent: countEvents('startChildWorkflowExecutionInitiatedEventAttributes'),
    back: countEvents('childWorkflowExecutionCompletedEventAttributes'),
  };
};

/** Until the question has that many notices, sent or failed. */
async function waitForNotices(id: string, count = 1): Promise<Question> {
  for (;;) {
    const question = await parley.waitForQuestion(id);
    if (question.notices.length >= count) return question;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

describe('a callback', () => {
  it('gets the question, the answer and the end: once each, in order, as the API shows them', async () => {
    const id = await startConversation();
    const [pending] = await receiver.waitForDeliveries(1);
    const open = await waitForNotices(id);
    expect(open.notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(pending?.data.question).toEqual({ ...open, notices: [] });

    const response = await fetch(pending?.data.answerUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ answer: 'A' }),
    });
    expect(response.status).toBe(200);
    await parley.waitForStatus(id, 'completed');
    const deliveries = await receiver.waitForDeliveries(3);
    expect(types(deliveries)).toEqual(['question.pending', 'question.answered', 'conversation.completed']);
    expect(deliveries.map(({ session }) => session)).toEqual([id, id, id]);
    expect(new Set(deliveries.map((first) => first.id)).size).toBe(3);
    expect(deliveries[1]?.data.question).toEqual(await getQuestion(id));
    expect(deliveries[2]?.data.conversation).toEqual(await parley.getConversation(id));
    expect((await countChildWorkflows(id)).sent).toBe(2);
  });

  const resolve = (id: string, action: string, body: object) =>
    parley.call('POST', `/v1/conversations/${id}/questions/latest/${action}`, body);

  it('gets a question that was skipped', async () => {
    const id = await startConversation();
    await receiver.waitForDeliveries(1);
    await resolve(id, 'decline', { reason: 'Not mine' });
    const deliveries = await receiver.waitForDeliveries(3);
    expect(deliveries[1]).toMatchObject({
      type: 'question.answered',
      data: { question: { status: 'declined', outcome: { comment: 'Not mine' } } },
    });
    expect(types(deliveries)[2]).toBe('conversation.completed');
  });

  it('gets a question that timed out', async () => {
    await startConversation('Hello', { question: { timeout: '1s' } });
    const deliveries = await receiver.waitForDeliveries(3);
    expect(deliveries.map(({ type, data }) => [type, data.question?.status])).toEqual([
      ['question.pending', 'pending'],
      ['question.answered', 'timed_out'],
      ['conversation.completed', undefined],
    ]);
  });

  it('gets a conversation that was cancelled, and its question', async () => {
    const id = await startConversation();
    await receiver.waitForDeliveries(1);
    await parley.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'Enough' });
    const deliveries = await receiver.waitForDeliveries(3);
    const rest = deliveries.slice(1).sort((a, b) => b.type.localeCompare(a.type));
    expect(rest).toMatchObject([
      { type: 'question.answered', data: { question: { status: 'cancelled' } } },
      { type: 'conversation.cancelled', data: { conversation: { id, status: 'cancelled' } } },
    ]);
  });

  it('gets a conversation that failed', async () => {
    const id = await startConversation('Fail');
    await receiver.waitForDeliveries(1);
    await resolve(id, 'answer', { answer: 'A' });
    const deliveries = await receiver.waitForDeliveries(3);
    expect(types(deliveries)).toEqual(['question.pending', 'question.answered', 'conversation.failed']);
    expect(deliveries[2]?.data.conversation.error).toEqual((await parley.getConversation(id)).error);
  });

  it("gets a sub-agent's questions, and not its end", async () => {
    const id = await startConversation('Delegate');
    const [pending] = await receiver.waitForDeliveries(1);
    const subConversationId = pending?.session ?? '';
    expect(pending?.data).toMatchObject({ conversationId: subConversationId, rootConversationId: id, agent: scout });
    expect(subConversationId).not.toBe(id);
    expect((await parley.answer(subConversationId, { answer: 'Left' })).status).toBe(200);
    await parley.waitForStatus(id, 'completed');
    const deliveries = await receiver.waitForDeliveries(3);
    expect(deliveries.map(({ type, session }) => [type, session])).toEqual([
      ['question.pending', subConversationId],
      ['question.answered', subConversationId],
      ['conversation.completed', id],
    ]);
    expect(await countChildWorkflows(subConversationId)).toEqual({ sent: 1, back: expect.any(Number) });
  });

  it('gets a question of 16 KB in full, and a link in place of an answer that is too large', async () => {
    const id = await startConversation('Ask a lot');
    const [pending] = await receiver.waitForDeliveries(1);
    expect(pending?.data.question.fields).toMatchObject(LARGE);
    expect(pending?.data).not.toHaveProperty('truncated');
    const answers = LARGE.map((_, at) => [`q${at + 1}`, at === 0 ? 'y'.repeat(30_000) : 'z']);
    expect((await parley.answer(id, { answers: Object.fromEntries(answers) })).status).toBe(200);
    const [, answered] = await receiver.waitForDeliveries(3);
    for (const { body } of receiver.deliveries) expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    expect(answered?.data).toMatchObject({ truncated: true, question: { status: 'answered' } });
    const { body } = await parley.call<Question>('GET', new URL(answered?.data.fullUrl).pathname);
    expect(body.outcome?.answers?.q1).toHaveLength(30_000);
  });

  it('gets reminders, and to whom a question is escalated', async () => {
    const id = await startConversation('Hello', {
      question: {
        remind: ['1s'],
        notify: ['webhook'],
        escalate: [{ after: '2s', to: ['maria'], notify: ['webhook'] }],
      },
    });
    const deliveries = await receiver.waitForDeliveries(3);
    expect(deliveries.map(({ type, data }) => [type, data.notice])).toEqual([
      ['question.pending', { what: 'asked', to: [] }],
      ['question.pending', { what: 'reminder 1 of 1', to: [] }],
      ['question.pending', { what: 'escalated to maria', to: ['maria'] }],
    ]);
    expect(new Set(deliveries.map((first) => first.id)).size).toBe(3);
    expect((await waitForNotices(id, 3)).notices.map(({ channel }) => channel)).toEqual(Array(3).fill('webhook'));
  });
});

describe('a receiver that', () => {
  it('replies 410 gets nothing more, and the question says so', async () => {
    receiver.respondWith(410);
    const id = await startConversation('Ask twice');
    const { notices } = await waitForNotices(id);
    expect(notices).toMatchObject([
      {
        channel: 'webhook',
        what: expect.stringMatching(/^asked: could not be sent: 127\.0\.0\.1:\d+ responded 410/),
      },
    ]);
    secondQuestion.release();
    await parley.answer(id, { answer: 'A' });
    await parley.waitForQuestion(id);
    await parley.answer(id, { answer: 'C' });
    await parley.waitForStatus(id, 'completed');
    expect(await countChildWorkflows(id)).toEqual({ sent: 0, back: 0 });
    expect((await getQuestion(id, 'question-2')).notices).toEqual([]);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('replies 410 to an answer gets no later question', async () => {
    receiver.respondWith((response, { type }) => response.writeHead(type === 'question.answered' ? 410 : 204).end());
    const id = await startConversation('Ask twice');
    await waitForNotices(id);
    await parley.answer(id, { answer: 'A' });
    while ((await countChildWorkflows(id)).back === 0) await new Promise((resolve) => setTimeout(resolve, 15));
    secondQuestion.release();
    await parley.waitForQuestion(id);
    await parley.answer(id, { answer: 'C' }, 'question-2');
    await parley.waitForStatus(id, 'completed');
    expect(types(receiver.deliveries)).toEqual(['question.pending', 'question.answered']);
    expect((await countChildWorkflows(id)).sent).toBe(1);
  });

  it('redirects is not followed; the event is retried with the same id and body', async () => {
    const elsewhere = await startWebhookReceiver(SECRET);
    receiver.respondWith((response, _, index) =>
      response.writeHead(index === 0 ? 307 : 204, { location: elsewhere.url }).end(),
    );
    const id = await startConversation();
    const { notices } = await waitForNotices(id);
    expect(notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    const [first, second] = receiver.deliveries;
    expect([second?.id, second?.body, receiver.deliveries.length]).toEqual([first?.id, first?.body, 2]);
    expect(elsewhere.deliveries).toEqual([]);
    await elsewhere.stop();
  });

  it('sends an endless response has still received the event', async () => {
    receiver.respondWith((response) => void response.writeHead(200).write(Buffer.alloc(1_000_000)));
    const id = await startConversation();
    expect((await waitForNotices(id)).notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('is not configured leaves a webhook notification unsent, and the question says why', async () => {
    const id = await parley.startConversation('Hello', { question: { notify: ['webhook'] } });
    const { notices } = await waitForNotices(id);
    expect(notices[0]?.what).toMatch(/^asked: could not be sent: .*callbackUrl/);
  });
});

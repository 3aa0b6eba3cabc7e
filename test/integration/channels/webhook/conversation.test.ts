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
/** With all that is around it close to 16 KB, the largest there is. */
const LARGE = [1, 2, 3, 4, 5, 6, 7].map((n) => ({ question: `${n}${'x'.repeat(1_999)}` }));

const said = ({ body }: ModelRequest) => JSON.stringify(body.messages);
let second = createLatch();

/** What is played goes by what was asked for. */
async function play(request: ModelRequest): Promise<ScriptedReply> {
  const results = lastToolResults(request).length;
  const messages = said(request);
  if (/You are scout/.test(JSON.stringify(request.body.system)))
    return results > 0 ? replyWithText('scouted') : replyWithQuestion('Which way?', 'Left', 'Right');
  if (messages.includes('Delegate'))
    return results > 0
      ? replyWithText('done')
      : replyWithToolCalls({ name: 'delegate', input: { agent: scout, task: 'Scout' } });
  if (messages.includes('Ask a lot')) return results > 0 ? replyWithText('done') : replyWithQuestion(LARGE);
  if (messages.includes('Ask twice') && messages.split('tool_result').length === 2) {
    await second.hold;
    return replyWithQuestion('And then?', 'C', 'D');
  }
  if (results === 0) return replyWithQuestion('Which?', 'A', 'B');
  return messages.includes('Fail') ? replyWithError(400, { message: 'it broke' }) : replyWithText('done');
}

let p: TestParley;
let r: WebhookReceiver;
beforeAll(async () => {
  p = await startParley({
    script: play,
    policy: `subagents: [${scout}]\nquestions: { maxQuestions: 10 }`,
    agents: { [scout]: '' },
    env: { PARLEY_WEBHOOK_SECRETS: `*=${SECRET}` },
  });
});
afterAll(() => p.stop());
beforeEach(async () => {
  r = await startWebhookReceiver(SECRET);
  second = createLatch();
});
afterEach(() => r.stop());

const begin = (message = 'Hello', more = {}) => p.start(message, { callbackUrl: r.url, ...more });
const questionOf = async (id: string, qid = 'latest') =>
  (await p.call<Question>('GET', `/v1/conversations/${id}/questions/${qid}`)).body;
const types = (deliveries: ReceivedWebhook[]) => deliveries.map(({ type }) => type);
const children = async (id: string) => {
  const { events = [] } = await p.client.workflow.getHandle(id).fetchHistory();
  const has = (name: string) => events?.filter((event) => name in event && event[name as 'eventId']).length;
  return {
    sent: has('startChildWorkflowExecutionInitiatedEventAttributes'),
    back: has('childWorkflowExecutionCompletedEventAttributes'),
  };
};

/** Until the question says that somebody was told, or could not be. */
async function noticed(id: string, count = 1): Promise<Question> {
  for (;;) {
    const question = await p.question(id);
    if (question.notices.length >= count) return question;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

describe('a callback', () => {
  it('is told of the question, the answer and the end: once each, in order, and as the API shows them', async () => {
    const id = await begin();
    const [pending] = await r.until(1);
    const open = await noticed(id);
    expect(open.notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(pending?.data.question).toEqual({ ...open, notices: [] });

    const response = await fetch(pending?.data.answerUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ answer: 'A' }),
    });
    expect(response.status).toBe(200);
    await p.until(id, 'completed');
    const deliveries = await r.until(3);
    expect(types(deliveries)).toEqual(['question.pending', 'question.answered', 'conversation.completed']);
    expect(deliveries.map(({ session }) => session)).toEqual([id, id, id]);
    expect(new Set(deliveries.map((one) => one.id)).size).toBe(3);
    expect(deliveries[1]?.data.question).toEqual(await questionOf(id));
    expect(deliveries[2]?.data.conversation).toEqual(await p.conversation(id));
    expect((await children(id)).sent).toBe(2);
  });

  const settle = (id: string, how: string, body: object) =>
    p.call('POST', `/v1/conversations/${id}/questions/latest/${how}`, body);

  it('is told of a question that was declined', async () => {
    const id = await begin();
    await r.until(1);
    await settle(id, 'decline', { reason: 'Not mine' });
    const deliveries = await r.until(3);
    expect(deliveries[1]).toMatchObject({
      type: 'question.answered',
      data: { question: { status: 'declined', outcome: { comment: 'Not mine' } } },
    });
    expect(types(deliveries)[2]).toBe('conversation.completed');
  });

  it('is told of a question that nobody answered', async () => {
    await begin('Hello', { question: { timeout: '1s' } });
    const deliveries = await r.until(3);
    expect(deliveries.map(({ type, data }) => [type, data.question?.status])).toEqual([
      ['question.pending', 'pending'],
      ['question.answered', 'timed_out'],
      ['conversation.completed', undefined],
    ]);
  });

  it('is told of a conversation that was cancelled, and of its question', async () => {
    const id = await begin();
    await r.until(1);
    await p.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'Enough' });
    const deliveries = await r.until(3);
    const rest = deliveries.slice(1).sort((a, b) => b.type.localeCompare(a.type));
    expect(rest).toMatchObject([
      { type: 'question.answered', data: { question: { status: 'cancelled' } } },
      { type: 'conversation.cancelled', data: { conversation: { id, status: 'cancelled' } } },
    ]);
  });

  it('is told of a conversation that failed', async () => {
    const id = await begin('Fail');
    await r.until(1);
    await settle(id, 'answer', { answer: 'A' });
    const deliveries = await r.until(3);
    expect(types(deliveries)).toEqual(['question.pending', 'question.answered', 'conversation.failed']);
    expect(deliveries[2]?.data.conversation.error).toEqual((await p.conversation(id)).error);
  });

  it("is told of a sub-agent's questions, and not of its end", async () => {
    const id = await begin('Delegate');
    const [pending] = await r.until(1);
    const sub = pending?.session ?? '';
    expect(pending?.data).toMatchObject({ conversationId: sub, rootConversationId: id, agent: scout });
    expect(sub).not.toBe(id);
    expect((await p.answer(sub, { answer: 'Left' })).status).toBe(200);
    await p.until(id, 'completed');
    const deliveries = await r.until(3);
    expect(deliveries.map(({ type, session }) => [type, session])).toEqual([
      ['question.pending', sub],
      ['question.answered', sub],
      ['conversation.completed', id],
    ]);
    expect(await children(sub)).toEqual({ sent: 1, back: expect.any(Number) });
  });

  it('is sent a question of 16 KB whole, and an answer that does not fit by a link to it', async () => {
    const id = await begin('Ask a lot');
    const [pending] = await r.until(1);
    expect(pending?.data.question.fields).toMatchObject(LARGE);
    expect(pending?.data).not.toHaveProperty('truncated');
    const answers = LARGE.map((_, at) => [`q${at + 1}`, at === 0 ? 'y'.repeat(30_000) : 'z']);
    expect((await p.answer(id, { answers: Object.fromEntries(answers) })).status).toBe(200);
    const [, answered] = await r.until(3);
    for (const { body } of r.deliveries) expect(Buffer.byteLength(body)).toBeLessThan(20_000);
    expect(answered?.data).toMatchObject({ truncated: true, question: { status: 'answered' } });
    const { body } = await p.call<Question>('GET', new URL(answered?.data.fullUrl).pathname);
    expect(body.outcome?.answers?.q1).toHaveLength(30_000);
  });

  it('is reminded, and told whom a question is escalated to', async () => {
    const id = await begin('Hello', {
      question: {
        remind: ['1s'],
        notify: ['webhook'],
        escalate: [{ after: '2s', to: ['maria'], notify: ['webhook'] }],
      },
    });
    const deliveries = await r.until(3);
    expect(deliveries.map(({ type, data }) => [type, data.notice])).toEqual([
      ['question.pending', { what: 'asked', to: [] }],
      ['question.pending', { what: 'reminder 1 of 1', to: [] }],
      ['question.pending', { what: 'escalated to maria', to: ['maria'] }],
    ]);
    expect(new Set(deliveries.map((one) => one.id)).size).toBe(3);
    expect((await noticed(id, 3)).notices.map(({ channel }) => channel)).toEqual(Array(3).fill('webhook'));
  });
});

describe('a receiver that', () => {
  it('is gone is sent nothing more, and the question says so', async () => {
    r.answers(410);
    const id = await begin('Ask twice');
    const { notices } = await noticed(id);
    expect(notices).toMatchObject([
      {
        channel: 'webhook',
        what: expect.stringMatching(/^asked: could not be sent: 127\.0\.0\.1:\d+ answered 410/),
      },
    ]);
    second.release();
    await p.answer(id, { answer: 'A' });
    await p.question(id);
    await p.answer(id, { answer: 'C' });
    await p.until(id, 'completed');
    expect(await children(id)).toEqual({ sent: 0, back: 0 });
    expect((await questionOf(id, 'question-2')).notices).toEqual([]);
    expect(r.deliveries).toHaveLength(1);
  });

  it('is gone when it is told of an answer hears of no later question', async () => {
    r.answers((response, { type }) => response.writeHead(type === 'question.answered' ? 410 : 204).end());
    const id = await begin('Ask twice');
    await noticed(id);
    await p.answer(id, { answer: 'A' });
    while ((await children(id)).back === 0) await new Promise((resolve) => setTimeout(resolve, 15));
    second.release();
    await p.question(id);
    await p.answer(id, { answer: 'C' }, 'question-2');
    await p.until(id, 'completed');
    expect(types(r.deliveries)).toEqual(['question.pending', 'question.answered']);
    expect((await children(id)).sent).toBe(1);
  });

  it('sends elsewhere is not followed and tried again, with the same id and body', async () => {
    const elsewhere = await startWebhookReceiver(SECRET);
    r.answers((response, _, index) => response.writeHead(index === 0 ? 307 : 204, { location: elsewhere.url }).end());
    const id = await begin();
    const { notices } = await noticed(id);
    expect(notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    const [one, two] = r.deliveries;
    expect([two?.id, two?.body, r.deliveries.length]).toEqual([one?.id, one?.body, 2]);
    expect(elsewhere.deliveries).toEqual([]);
    await elsewhere.stop();
  });

  it('says too much, and does not end, has been told all the same', async () => {
    r.answers((response) => void response.writeHead(200).write(Buffer.alloc(1_000_000)));
    const id = await begin();
    expect((await noticed(id)).notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(r.deliveries).toHaveLength(1);
  });

  it('is named nowhere leaves a notice by webhook unsent, and says why', async () => {
    const id = await p.start('Hello', { question: { notify: ['webhook'] } });
    const { notices } = await noticed(id);
    expect(notices[0]?.what).toMatch(/^asked: could not be sent: .*callbackUrl/);
  });
});

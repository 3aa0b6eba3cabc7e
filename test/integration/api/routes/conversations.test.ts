import { type Conversation, Conversation as ConversationSchema } from '#contract/conversation';
import type { Problem } from '#contract/problem';
import { Question } from '#contract/question';
import { ConversationTimeline, type TimelineEntry } from '#contract/timeline';
import type { ModelScript } from '#models/demo/reply';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

type TextBlock = { type: string; text?: string }[];
const newestContent = (request: Parameters<ModelScript>[0]) =>
  (request.body.messages.at(-1)?.content ?? []) as TextBlock;
const lastText = (request: Parameters<ModelScript>[0]) => newestContent(request).at(-1)?.text ?? '';

/** Follows the newest message: asks, confirms, or echoes; after an answer it repeats the last result. */
const followInstruction: ModelScript = (request) => {
  const text = lastText(request);
  if (text.startsWith('ask')) return replyWithQuestion(text, 'A', 'B');
  if (text.startsWith('open'))
    return replyWithToolCalls({
      name: 'ask_user_question',
      input: { questions: [{ question: 'What then?' }] },
    });
  if (text.startsWith('confirm'))
    return replyWithToolCalls({
      name: 'confirm_action',
      input: { action: 'Delete it', arguments: { path: '/x' } },
    });
  const [toolResult] = lastToolResults(request);
  return replyWithText(text ? `echo ${text}` : `heard ${toolResult?.text}`);
};

describe('a conversation over HTTP', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ script: followInstruction });
  });
  afterAll(() => p.stop());

  const sendMessage = (id: string, text: string, headers = {}) =>
    p.call<Conversation>('POST', `/v1/conversations/${id}/messages`, { text }, headers);
  const readTimeline = async (id: string, after = 0) =>
    (await p.call<ConversationTimeline>('GET', `/v1/conversations/${id}/timeline?after=${after}`)).body;

  it('starts with 201, a Location and the whole Conversation', async () => {
    const body = { message: 'Hello\nthere', agent: p.agent, id: `${p.agent}-first`, metadata: { ticket: 7 } };
    const started = await p.call<Conversation>('POST', '/v1/conversations', body);
    expect(started.status).toBe(201);
    expect(started.headers.get('location')).toBe(`/v1/conversations/${body.id}`);
    expect(ConversationSchema.parse(started.body)).toMatchObject({
      id: body.id,
      agent: p.agent,
      status: 'running',
      title: 'Hello',
      metadata: { ticket: 7 },
    });
    const finished = await p.waitForStatus(body.id, 'completed');
    expect(ConversationSchema.parse(finished)).toMatchObject({
      result: 'echo Hello\nthere',
      question: null,
      questionsAsked: 0,
      error: null,
    });
    expect(finished.usage).toMatchObject({ modelCalls: 1, inputTokens: expect.any(Number) });
    expect(Date.parse(finished.completedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(finished.createdAt));
    expect(finished.links.self).toBe(`${p.url}/v1/conversations/${body.id}`);
  });

  it('returns the first for a repeat with the same id and body, and rejects another body', async () => {
    const body = { message: 'Hello', id: `${p.agent}-twice` };
    expect((await p.call('POST', '/v1/conversations', body)).status).toBe(201);
    await p.waitForStatus(body.id, 'completed');
    const again = await p.call<Conversation>('POST', '/v1/conversations', { id: body.id, message: 'Hello' });
    expect([again.status, again.body.status]).toEqual([200, 'completed']);
    const other = await p.call<Problem>('POST', '/v1/conversations', { ...body, message: 'Bye' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('starts once for one Idempotency-Key, however many requests there are at once', async () => {
    const key = { 'idempotency-key': `${p.agent}-key` };
    const requests = Array.from({ length: 10 }, () =>
      p.call<Conversation>('POST', '/v1/conversations', { message: 'Hello' }, key),
    );
    const replies = await Promise.all(requests);
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1);
    expect(replies.map((reply) => reply.status).sort()).toEqual([...Array(9).fill(200), 201]);
    const other = await p.call<Problem>('POST', '/v1/conversations', { message: 'Bye' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('has a timeline with increasing numbers, readable from any of them on', async () => {
    const id = await p.startConversation('ask me');
    const pending = ConversationTimeline.parse((await p.waitForQuestion(id)) && (await readTimeline(id)));
    expect(pending.items.map((entry) => entry.kind)).toEqual(['message', 'question', 'status']);
    await p.answer(id, { answer: 'A', comment: 'sure' });
    await p.waitForStatus(id, 'completed');
    const { items } = ConversationTimeline.parse(await readTimeline(id));
    expect(items.map((entry) => entry.kind)).toEqual(['message', 'question', 'status', 'status', 'message', 'status']);
    const question = items[1] as TimelineEntry & { kind: 'question' };
    expect(question.settledId).toBe(4);
    expect(question.question).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'A' }, comment: 'sure' },
    });
    expect(items.map((entry) => entry.id)).toEqual([1, 2, 3, 5, 6, 7]);
    expect((await readTimeline(id, 3)).items.map((entry) => entry.id)).toEqual([2, 5, 6, 7]);
    expect((await readTimeline(id, 4)).items.map((entry) => entry.id)).toEqual([5, 6, 7]);
  });

  it('lists every question with its outcome, and returns each by id or as the latest', async () => {
    const id = await p.startConversation('ask one');
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' });
    await p.waitForStatus(id, 'completed');
    await sendMessage(id, 'ask two');
    await p.waitForQuestion(id);
    const listed = await p.call<{ items: Question[] }>('GET', `/v1/conversations/${id}/questions`);
    expect(listed.body.items.map((item) => [Question.parse(item).id, item.status])).toEqual([
      ['question-1', 'answered'],
      ['question-2', 'pending'],
    ]);
    const one = await p.call<Question>('GET', `/v1/conversations/${id}/questions/question-1`);
    expect(one.body).toEqual(listed.body.items[0]);
    const latest = await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`);
    expect(latest.body).toEqual(listed.body.items[1]);
  });

  it('shows open questions in the inbox, soonest deadline first, in pages', async () => {
    const ids: string[] = [];
    for (const timeout of ['3h', '1h', 'never', '2h'])
      ids.push(await p.startConversation(`ask ${timeout}`, { question: { timeout } }));
    await Promise.all(ids.map((id) => p.waitForQuestion(id)));
    const [three, one, never, two] = ids;
    const expectedIds = [one, two, three, never];
    const seenIds: string[] = [];
    let cursor = '';
    do {
      const page = await readInboxPage(cursor);
      expect(page.items.length).toBeLessThanOrEqual(2);
      seenIds.push(...page.items.map((item) => item.conversationId));
      cursor = page.nextCursor ?? '';
    } while (cursor);
    expect(seenIds.filter((id) => ids.includes(id))).toEqual(expectedIds);

    async function readInboxPage(after: string): Promise<{ items: Question[]; nextCursor: string | null }> {
      const route = `/v1/questions?agent=${p.agent}&limit=2${after && `&cursor=${after}`}`;
      for (;;) {
        const { body } = await p.call<{ items: Question[]; nextCursor: string | null }>('GET', route);
        if (after || (await countPending()) >= ids.length) return body;
      }
    }
    async function countPending(): Promise<number> {
      const { body } = await p.call<{ items: Question[] }>('GET', `/v1/questions?agent=${p.agent}&limit=100`);
      return body.items.filter((item) => ids.includes(item.conversationId)).length;
    }
  });

  it('is listed by status, as one item, even if it was resumed', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForStatus(id, 'completed');
    await sendMessage(id, 'Again');
    await p.waitForStatus(id, 'completed');
    const listed = async (query: string) =>
      (await p.call<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${p.agent}&limit=100${query}`)).body
        .items;
    for (;;) {
      const matches = (await listed('&status=completed')).filter((item) => item.id === id);
      if (matches[0]?.result === 'echo Again') break;
    }
    expect((await listed('')).filter((item) => item.id === id)).toHaveLength(1);
    expect((await listed('&status=failed')).filter((item) => item.id === id)).toHaveLength(0);
  });

  it('resumes after its end with all that it knew', async () => {
    const id = await p.startConversation('ask me');
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' });
    const before = await p.waitForStatus(id, 'completed');
    const reopened = await sendMessage(id, 'Go on');
    expect(reopened.status).toBe(202);
    const after = await p.waitForStatus(id, 'completed');
    expect(after).toMatchObject({ result: 'echo Go on', questionsAsked: 1, createdAt: before.createdAt });
    const request = p.model.requests.at(-1);
    const transcript = JSON.stringify(request?.body.messages);
    expect(transcript).toContain('ask me');
    expect(transcript).toContain('{\\"answers\\":{\\"ask me\\":\\"A\\"}}');
    const { items } = await readTimeline(id);
    expect(items.map((entry) => entry.id)).toEqual([...items.map((entry) => entry.id)].sort((a, b) => a - b));
  });

  it('gets a message once for one Idempotency-Key, even if it has ended in the meantime', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForStatus(id, 'completed');
    const key = { 'idempotency-key': 'm1' };
    expect((await sendMessage(id, 'Once', key)).status).toBe(202);
    await p.waitForStatus(id, 'completed');
    const before = await readTimeline(id);
    const again = await sendMessage(id, 'Once', key);
    expect([again.status, again.body.status]).toEqual([202, 'completed']);
    expect(await readTimeline(id)).toEqual(before);
    const other = await p.call<Problem>('POST', `/v1/conversations/${id}/messages`, { text: 'Twice' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('is cancelled once for one Idempotency-Key, and a repeat says so again', async () => {
    const id = await p.startConversation('ask me');
    await p.waitForQuestion(id);
    const key = { 'idempotency-key': 'x1' };
    const cancel = (body: object) =>
      p.call<{ status: unknown; code?: string }>('POST', `/v1/conversations/${id}/cancel`, body, key);
    expect((await cancel({ reason: 'a' })).status).toBe(202);
    const again = await cancel({ reason: 'a' });
    expect([again.status, again.body.status]).toEqual([202, 'cancelled']);
    const other = await cancel({ reason: 'b' });
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('cannot use an id that is taken', async () => {
    const workflowId = `taken-${p.agent}`;
    await p.client.workflow.start('somethingElse', { workflowId, taskQueue: 'nowhere', args: [] });
    const reply = await p.call<Problem>('POST', '/v1/conversations', { message: 'Hello', id: workflowId });
    expect([reply.status, reply.body.code]).toEqual([409, 'idempotency_conflict']);
    await p.client.workflow.getHandle(workflowId).terminate();
  });

  it('takes a message as the answer to an open question with free text', async () => {
    const id = await p.startConversation('open');
    await p.waitForQuestion(id);
    expect((await sendMessage(id, 'Paint it')).status).toBe(202);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('heard {"answers":{"What then?":"Paint it"}}');
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`);
    expect(body).toMatchObject({ status: 'answered', outcome: { answers: { q1: 'Paint it' } } });
  });

  it('never takes a message as an approval, and delivers it after the question is closed', async () => {
    const id = await p.startConversation('confirm');
    const question = await p.waitForQuestion(id);
    expect(question.fields[0]).toMatchObject({
      question: 'Delete it',
      options: [{ label: 'Yes, proceed' }, { label: 'No, cancel' }],
      allowOther: false,
    });
    expect(question.context).toContain('"path": "/x"');
    expect((await sendMessage(id, 'Yes, proceed')).body.status).toBe('waiting_for_input');
    await p.answer(id, { answer: 'No, cancel' });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('echo Yes, proceed');
    const content = newestContent(p.model.requests.at(-1) as Parameters<ModelScript>[0]);
    expect(content.map((block) => block.type)).toEqual(['tool_result', 'text']);
    expect(lastToolResults(p.model.requests.at(-1) as Parameters<ModelScript>[0])[0]?.text).toBe('{"confirmed":false}');
  });

  it('is cancelled while it waits, and says so if there is nothing to cancel', async () => {
    const id = await p.startConversation('ask me');
    await p.waitForQuestion(id);
    const cancelled = await p.call<Conversation>('POST', `/v1/conversations/${id}/cancel`, {
      reason: 'changed my mind',
    });
    expect([cancelled.status, cancelled.body.status]).toEqual([202, 'cancelled']);
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`);
    expect(body).toMatchObject({ status: 'cancelled', outcome: { comment: 'changed my mind' } });
    const late = await p.answer<Problem>(id, { answer: 'A' });
    expect([late.status, late.body.code]).toEqual([409, 'question_cancelled']);
    const again = await p.call<Problem>('POST', `/v1/conversations/${id}/cancel`, {});
    expect([again.status, again.body.code]).toEqual([409, 'conversation_finished']);
  });

  it("ends as cancelled on Temporal's own cancel, and reads so when terminated", async () => {
    const [id, other] = await Promise.all([p.startConversation('ask me'), p.startConversation('ask me')]);
    await Promise.all([p.waitForQuestion(id), p.waitForQuestion(other)]);
    await p.client.workflow.getHandle(id).cancel();
    expect((await p.waitForStatus(id, 'cancelled')).error?.code).toBe('cancelled');
    await p.client.workflow.getHandle(other).terminate();
    expect(await p.waitForStatus(other, 'cancelled')).toMatchObject({
      question: null,
      completedAt: expect.any(String),
    });
    const late = await p.answer<Problem>(other, { answer: 'A' });
    expect([late.status, late.body.code]).toEqual([409, 'question_cancelled']);
    const message = await p.call<Problem>('POST', `/v1/conversations/${other}/messages`, { text: 'Hello?' });
    expect([message.status, message.body.code]).toEqual([409, 'conversation_finished']);
  });

  it("is answered by Temporal's own signal, and its query returns the same Conversation", async () => {
    const id = await p.startConversation('ask me');
    await p.waitForQuestion(id);
    const handle = p.client.workflow.getHandle(id);
    expect(await handle.query('getState')).toEqual(await p.getConversation(id));
    for (const malformed of [
      null,
      7,
      'x',
      [],
      { answers: null },
      { answers: { q1: 'C' } },
      { answers: { q1: 'A' }, questionId: 'question-9' },
    ]) {
      await handle.signal('answerQuestion', malformed);
      await handle.signal('addMessage', malformed);
    }
    expect((await p.getConversation(id)).status).toBe('waiting_for_input');
    await handle.signal('answerQuestion', { answers: { q1: 'B' } });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('heard {"answers":{"ask me":"B"}}');
    const { body } = await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`);
    expect(body.outcome?.via).toBe('temporal');
  });

  it('has liveness and readiness checks', async () => {
    expect((await p.call('GET', '/healthz')).status).toBe(200);
    expect((await p.call('GET', '/readyz')).status).toBe(200);
  });
});

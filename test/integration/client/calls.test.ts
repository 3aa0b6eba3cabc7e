import { randomUUID } from 'node:crypto';
import { type ParleyClient as Client, createParley } from '#client/parley';
import type { ParleyError } from '#client/parley-error';
import type { Conversation } from '#contract/conversation';
import { startLossyProxy } from '#test/support/client/lossy-proxy';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

/** Asks one question and reads its answer back. */
const askOnce = (request: Parameters<typeof lastToolResults>[0]) =>
  lastToolResults(request).length > 0
    ? replyWithText(`heard ${lastToolResults(request)[0]?.text}`)
    : replyWithQuestion('Which colour?', 'Red', 'Blue');

describe('the client with a Parley', () => {
  let parley: TestParley;
  let client: Client;
  beforeAll(async () => {
    parley = await startParley({ ownWorker: true, script: askOnce });
    client = createParley({ url: parley.url });
  });
  afterAll(() => parley.stop());

  /** The id of a conversation that waits for an answer. */
  async function startWaiting(more: { metadata?: Record<string, unknown> } = {}): Promise<string> {
    const { id } = await client.start({ message: 'Hello', agent: parley.agent, ...more });
    await parley.waitForQuestion(id);
    return id;
  }

  const catchError = (call: Promise<unknown>): Promise<ParleyError> =>
    call.then(
      () => Promise.reject(new Error('it was not refused')),
      (error) => error,
    );

  it('starts a conversation and reads it', async () => {
    const id = `${parley.agent}-start`;
    const started = await client.start({
      id,
      message: 'Hello',
      agent: parley.agent,
      metadata: { ticket: 7 },
      question: { timeout: '4h', onTimeout: 'continue' },
    });
    expect(started).toMatchObject({ id, agent: parley.agent, status: 'running', metadata: { ticket: 7 } });
    const { expiresAt, askedAt } = await parley.waitForQuestion(id);
    expect(Date.parse(expiresAt ?? '') - Date.parse(askedAt)).toBe(4 * 3_600_000);
    expect(await client.get(id)).toEqual(await parley.getConversation(id));
  });

  it('answers the latest question, and returns the state', async () => {
    const id = await startWaiting();
    const { question, conversation } = await client.answer(id, { answer: 'Red', comment: 'warm' });
    expect(question).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'Red' }, comment: 'warm' },
    });
    expect(conversation.id).toBe(id);
    expect((await parley.waitForStatus(id, 'completed')).result).toContain('"Red"');
  });

  it('answers by field, to a named question', async () => {
    const id = await startWaiting();
    const answers = { q1: { other: 'Green' } };
    const { question } = await client.answer(id, { answers, question: 'question-1' });
    expect(question.outcome?.answers).toEqual(answers);
    expect(await client.question(id)).toEqual(question);
    expect(await client.question(id, 'question-1')).toEqual(question);
    expect(await client.questions(id)).toEqual({ items: [question] });
  });

  it('returns that an answer is saved but not processed while no worker is running', async () => {
    const id = await startWaiting();
    await parley.stopWorker();
    try {
      const { question } = await client.answer(id, { answer: 'Blue' });
      expect([question.status, question.outcome]).toEqual(['pending', null]);
    } finally {
      await parley.startWorker();
    }
    expect((await parley.waitForStatus(id, 'completed')).result).toContain('"Blue"');
  });

  it('declines', async () => {
    const id = await startWaiting();
    const { question } = await client.decline(id, { reason: 'not mine' });
    expect(question).toMatchObject({ status: 'declined', outcome: { comment: 'not mine' } });
    const other = await startWaiting();
    expect((await client.decline(other)).question.status).toBe('declined');
  });

  it('sends a message, and reads the entries since', async () => {
    const id = await startWaiting();
    await client.answer(id, { answer: 'Red' });
    await parley.waitForStatus(id, 'completed');
    const { items } = await client.timeline(id);
    expect(await client.say(id, 'And now?')).toMatchObject({ id });
    const since = await client.timeline(id, { after: items.at(-1)?.id });
    expect(since.items.map((entry) => (entry.kind === 'message' ? entry.text : ''))).toContain('And now?');
    expect(since.items.map((entry) => entry.id)).not.toContain(items[0]?.id);
  });

  it('cancels, with or without a reason', async () => {
    for (const reason of ['changed my mind', undefined]) {
      const id = await startWaiting();
      expect(await client.cancel(id, reason)).toMatchObject({ id, status: 'cancelled' });
    }
  });

  it('lists in pages, and iterates over all of them', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => startWaiting()));
    await untilListed(ids);
    const first = await client.list({ agent: parley.agent, status: 'waiting_for_input', limit: 2 });
    expect(first.items).toHaveLength(2);
    const cursor = first.nextCursor ?? '';
    const second = await client.list({ agent: parley.agent, status: 'waiting_for_input', limit: 2, cursor });
    expect(first.items.map(({ id }) => id)).not.toContain(second.items[0]?.id);
    for await (const { agent, status } of client.all({ agent: parley.agent, status: 'waiting_for_input' }))
      expect([agent, status]).toEqual([parley.agent, 'waiting_for_input']);
  });

  /** Visibility lags by a moment. */
  async function untilListed(ids: string[]): Promise<void> {
    const seen = new Set<string>();
    while (ids.some((id) => !seen.has(id))) {
      seen.clear();
      for await (const { id } of client.all({ agent: parley.agent, status: 'waiting_for_input' })) seen.add(id);
    }
  }

  it('lists the open questions', async () => {
    const id = await startWaiting();
    await untilListed([id]);
    const { items, nextCursor } = await client.inbox({ agent: parley.agent, conversation: id, limit: 5 });
    expect([items.map((question) => question.conversationId), nextCursor]).toEqual([[id], null]);
  });

  it('throws what Parley rejected, with every error and the outcome', async () => {
    const id = await startWaiting();
    const invalid = await catchError(client.answer(id, { answers: { q1: 'Green' } }));
    expect(invalid).toMatchObject({ name: 'ParleyError', status: 400, code: 'invalid_answer' });
    expect(invalid.problem?.errors?.[0]).toMatchObject({ path: 'answers.q1', allowed: ['Red', 'Blue'] });
    expect(invalid.message).toContain('Green');
    expect(invalid.requestId).toMatch(/^[0-9a-f-]{36}$/);

    await client.answer(id, { answer: 'Red' });
    const late = await catchError(client.answer(id, { answer: 'Blue' }));
    expect([late.status, late.code]).toEqual([409, 'question_answered']);
    expect(late.problem?.question?.outcome?.answers).toEqual({ q1: 'Red' });

    const unknown = await catchError(client.get('no-such'));
    expect([unknown.status, unknown.code]).toEqual([404, 'conversation_not_found']);
  });

  it('has one effect if the reply is lost and the call is repeated', async () => {
    const proxy = await startLossyProxy(parley.url);
    const lossyClient = createParley({ url: proxy.url, timing: { firstWaitMs: 1 } });
    const metadata = { token: randomUUID() };
    const { id } = await lossyClient.start({ message: 'Hello', agent: parley.agent, metadata });
    await parley.waitForQuestion(id);
    const { question } = await lossyClient.answer(id, { answer: 'Red' });
    expect(question.outcome?.answers).toEqual({ q1: 'Red' });
    await parley.waitForStatus(id, 'completed');
    await untilClosed(id);
    const matching: Conversation[] = [];
    for await (const conversation of client.all({ agent: parley.agent }))
      if (conversation.metadata.token === metadata.token) matching.push(conversation);
    expect(matching.map((conversation) => conversation.id)).toEqual([id]);
    expect(proxy.forwardedCount()).toBe(4);
    await proxy.stop();
  });

  async function untilClosed(wanted: string): Promise<void> {
    for (;;)
      for await (const { id } of client.all({ agent: parley.agent, status: 'completed' })) if (id === wanted) return;
  }

  it('rejects another body under a used key', async () => {
    const idempotencyKey = randomUUID();
    const first = await client.start({ message: 'Hello', agent: parley.agent }, { idempotencyKey });
    const again = await client.start({ message: 'Hello', agent: parley.agent }, { idempotencyKey });
    expect(again.id).toBe(first.id);
    const other = await catchError(client.start({ message: 'Bye', agent: parley.agent }, { idempotencyKey }));
    expect(other.code).toBe('idempotency_conflict');
  });
});

import type { InboxEvent } from '#contract/events';
import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { type StreamServer, startStreamServer } from '#test/support/api/streaming/stream-server';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { watchInboxEvents } from '#test/support/sse-client';

describe('the live inbox', () => {
  let p: TestParley;
  let fastServer: StreamServer;
  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      script: ({ body }) => {
        const asked = body.messages.filter(({ role }) => role === 'assistant').length;
        const total = Number(/(\d) times/.exec(JSON.stringify(body.messages[0]))?.[1] ?? 1);
        return asked < total ? replyWithQuestion(`Question ${asked + 1}?`, 'A', 'B') : replyWithText('done');
      },
    });
    fastServer = await startStreamServer(p, { inboxPollMs: 20 });
  });
  afterAll(async () => {
    await fastServer.stop();
    await p.stop();
  });

  /** Waits until it is in the list, too, which may take the server a moment. */
  async function startParkedConversation(message?: string, more?: object): Promise<Question> {
    const question = await p.waitForQuestion(await p.startConversation(message, more));
    const { conversationId } = question;
    await eventually(async () => {
      const { body } = await p.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${conversationId}`);
      expect(body.items).toEqual([question]);
    });
    return question;
  }

  const isSnapshot = (event: InboxEvent): event is Extract<InboxEvent, { event: 'snapshot' }> =>
    event.event === 'snapshot';
  const isQuestionEvent =
    (name: 'question_pending' | 'question_answered', conversation: string, id = 'question-1') =>
    (event: InboxEvent): event is InboxEvent & { data: Question } =>
      event.event === name && event.data.conversationId === conversation && event.data.id === id;

  it('starts with the open questions, soonest deadline first, then reports new and closed ones', async () => {
    const laterQuestion = await startParkedConversation('Hello', { question: { timeout: '3d' } });
    const soonerQuestion = await startParkedConversation('Hello', { question: { timeout: '1h' } });
    const [fastWatcher, apiWatcher] = await Promise.all([
      watchInboxEvents(fastServer.url, `?agent=${p.agent}`),
      watchInboxEvents(p.url, `?agent=${p.agent}`),
    ]);
    for (const watcher of [fastWatcher, apiWatcher]) {
      const { data } = await watcher.waitForEvent(isSnapshot);
      const ownQuestions = data.items.filter(({ conversationId }) =>
        [laterQuestion.conversationId, soonerQuestion.conversationId].includes(conversationId),
      );
      expect(ownQuestions).toEqual([soonerQuestion, laterQuestion]);
    }
    const asked = await startParkedConversation();
    for (const watcher of [fastWatcher, apiWatcher]) {
      expect((await watcher.waitForEvent(isQuestionEvent('question_pending', asked.conversationId))).data).toEqual(
        asked,
      );
    }
    expect((await p.answer(laterQuestion.conversationId, { answer: 'A' })).status).toBe(200);
    await p.call('POST', `/v1/conversations/${soonerQuestion.conversationId}/questions/latest/decline`);
    await p.client.workflow.getHandle(asked.conversationId).terminate();
    for (const watcher of [fastWatcher, apiWatcher]) {
      const waitUntilResolved = (id: string) => watcher.waitForEvent(isQuestionEvent('question_answered', id));
      expect((await waitUntilResolved(laterQuestion.conversationId)).data).toMatchObject({
        status: 'answered',
        outcome: { answers: { q1: 'A' } },
      });
      expect((await waitUntilResolved(soonerQuestion.conversationId)).data).toMatchObject({ status: 'declined' });
      expect((await waitUntilResolved(asked.conversationId)).data).toMatchObject({
        status: 'cancelled',
        outcome: { via: 'temporal' },
      });
      expect(watcher.events).toHaveLength(5);
      watcher.disconnect();
    }
  });

  it('shows only what the filter matches', async () => {
    const [ownQuestions, other] = [
      await startParkedConversation(),
      await startParkedConversation('Hello', { agent: 'assistant' }),
    ];
    const byConversation = await watchInboxEvents(fastServer.url, `?conversation=${ownQuestions.conversationId}`);
    const byAgent = await watchInboxEvents(fastServer.url, '?agent=assistant');
    expect((await byConversation.waitForEvent(isSnapshot)).data.items).toEqual([ownQuestions]);
    expect((await byAgent.waitForEvent(isSnapshot)).data.items).toContainEqual(other);
    expect((await byAgent.waitForEvent(isSnapshot)).data.items).not.toContainEqual(ownQuestions);
    await p.answer(other.conversationId, { answer: 'A' });
    await byAgent.waitForEvent(isQuestionEvent('question_answered', other.conversationId));
    await p.answer(ownQuestions.conversationId, { answer: 'A' });
    await byConversation.waitForEvent(isQuestionEvent('question_answered', ownQuestions.conversationId));
    expect(byConversation.events).toHaveLength(2);
    expect(byAgent.events.some(isQuestionEvent('question_answered', ownQuestions.conversationId))).toBe(false);
    byConversation.disconnect();
    byAgent.disconnect();

    const invalid = await p.call<Problem>('GET', "/v1/questions/events?agent=x' OR");
    expect([invalid.status, invalid.body.code]).toEqual([400, 'invalid_request']);
  });

  it('shows only what the caller may see', async () => {
    const ownQuestions = await startParkedConversation('Hello', { metadata: { team: 'ours' } });
    const restrictedServer = await startStreamServer(
      p,
      { inboxPollMs: 20 },
      (run) => run.memo.conversation.metadata.team === 'ours',
    );
    const watcher = await watchInboxEvents(restrictedServer.url);
    expect((await watcher.waitForEvent(isSnapshot)).data.items).toEqual([ownQuestions]);
    await p.answer((await startParkedConversation()).conversationId, { answer: 'A' });
    const next = await startParkedConversation('Hello', { metadata: { team: 'ours' } });
    await watcher.waitForEvent(isQuestionEvent('question_pending', next.conversationId));
    for (const { conversationId } of [ownQuestions, next]) {
      await p.answer(conversationId, { answer: 'A' });
      await watcher.waitForEvent(isQuestionEvent('question_answered', conversationId));
    }
    expect(watcher.events).toHaveLength(4);
    watcher.disconnect();
    await restrictedServer.stop();
  });

  it('reports a closed question and the next one, even if both came between two polls', async () => {
    const slowServer = await startStreamServer(p, { inboxPollMs: 1_500 });
    const first = await startParkedConversation('Ask me 2 times');
    const id = first.conversationId;
    const watcher = await watchInboxEvents(slowServer.url, `?conversation=${id}`);
    expect((await watcher.waitForEvent(isSnapshot)).data.items).toEqual([first]);
    await p.answer(id, { answer: 'A' });
    await p.waitForQuestion(id, 'question-2');
    const answered = await watcher.waitForEvent(isQuestionEvent('question_answered', id));
    const pending = await watcher.waitForEvent(isQuestionEvent('question_pending', id, 'question-2'));
    expect(answered.data).toMatchObject({ status: 'answered', outcome: { answers: { q1: 'A' } } });
    expect(pending.data).toEqual(await p.waitForQuestion(id));
    expect(watcher.events.map(({ event }) => event)).toEqual(['snapshot', 'question_answered', 'question_pending']);
    watcher.disconnect();
    await slowServer.stop();
  });

  it('is polled only while a client is connected', async () => {
    while (fastServer.streamHub.counts().connections > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const service = fastServer.client.workflowService;
    const { listWorkflowExecutions } = service;
    let listCalls = 0;
    let inFlight = 0;
    service.listWorkflowExecutions = (async (request: object) => {
      listCalls += 1;
      inFlight += 1;
      return (listWorkflowExecutions as unknown as (request: object) => Promise<never>)
        .call(service, request)
        .finally(() => {
          inFlight -= 1;
        });
    }) as never;
    expect(fastServer.streamHub.counts()).toEqual({ feeds: 0, connections: 0 });
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watchInboxEvents(fastServer.url)));
    await Promise.all(watchers.map((watcher) => watcher.waitForEvent(isSnapshot)));
    expect(fastServer.streamHub.counts()).toEqual({ feeds: 1, connections: 20 });
    expect(listCalls).toBeLessThan(5);
    for (const watcher of watchers) watcher.disconnect();
    while (fastServer.streamHub.counts().feeds > 0 || inFlight > 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const before = listCalls;
    const question = await startParkedConversation();
    expect(listCalls).toBe(before);
    const again = await watchInboxEvents(fastServer.url, `?conversation=${question.conversationId}`);
    expect((await again.waitForEvent(isSnapshot)).data.items).toEqual([question]);
    again.disconnect();
  });

  it('reports an outcome only once it can be read', async () => {
    const slowServer = await startStreamServer(p, { inboxPollMs: 5_000 });
    const { conversationId } = await startParkedConversation('Ask me 3 times');
    const watcher = await watchInboxEvents(slowServer.url, `?conversation=${conversationId}`);
    await watcher.waitForEvent(isSnapshot);
    for (const next of ['question-2', 'question-3']) {
      await p.answer(conversationId, { answer: 'A' });
      await p.waitForQuestion(conversationId, next);
    }
    // The first is no longer the last closed question, so only a worker can report it.
    await p.stopWorker();
    await watcher.waitForEvent(isQuestionEvent('question_pending', conversationId, 'question-3'));
    expect(watcher.events).toHaveLength(2);
    await p.startWorker();
    expect(
      (await watcher.waitForEvent(isQuestionEvent('question_answered', conversationId))).data.outcome?.answers,
    ).toEqual({
      q1: 'A',
    });
    expect(watcher.events).toHaveLength(3);
    watcher.disconnect();
    await slowServer.stop();
  });
});

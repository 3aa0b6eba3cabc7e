import type { InboxEvent } from '#contract/events';
import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { type StreamServer, startStreamServer } from '#test/support/api/streaming/stream-server';
import { eventually } from '#test/support/eventually';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { watchInboxEvents } from '#test/support/sse-client';

describe('the inbox as it changes', () => {
  let p: TestParley;
  let fast: StreamServer;
  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      script: ({ body }) => {
        const asked = body.messages.filter(({ role }) => role === 'assistant').length;
        const total = Number(/(\d) times/.exec(JSON.stringify(body.messages[0]))?.[1] ?? 1);
        return asked < total ? replyWithQuestion(`Question ${asked + 1}?`, 'A', 'B') : replyWithText('done');
      },
    });
    fast = await startStreamServer(p, { inboxEveryMs: 20 });
  });
  afterAll(async () => {
    await fast.stop();
    await p.stop();
  });

  /** And in the list, which a server may take a moment for. */
  async function parked(message?: string, more?: object): Promise<Question> {
    const question = await p.question(await p.start(message, more));
    const { conversationId } = question;
    await eventually(async () => {
      const { body } = await p.call<{ items: Question[] }>('GET', `/v1/questions?conversation=${conversationId}`);
      expect(body.items).toEqual([question]);
    });
    return question;
  }

  const snapshot = (event: InboxEvent): event is Extract<InboxEvent, { event: 'snapshot' }> =>
    event.event === 'snapshot';
  const of =
    (name: 'question_pending' | 'question_answered', conversation: string, id = 'question-1') =>
    (event: InboxEvent): event is InboxEvent & { data: Question } =>
      event.event === name && event.data.conversationId === conversation && event.data.id === id;

  it('begins with what waits, soonest deadline first, then tells what is asked and how it is settled', async () => {
    const late = await parked('Hello', { question: { timeout: '3d' } });
    const soon = await parked('Hello', { question: { timeout: '1h' } });
    const [one, two] = await Promise.all([
      watchInboxEvents(fast.url, `?agent=${p.agent}`),
      watchInboxEvents(p.url, `?agent=${p.agent}`),
    ]);
    for (const watcher of [one, two]) {
      const { data } = await watcher.until(snapshot);
      const mine = data.items.filter(({ conversationId }) =>
        [late.conversationId, soon.conversationId].includes(conversationId),
      );
      expect(mine).toEqual([soon, late]);
    }
    const asked = await parked();
    for (const watcher of [one, two]) {
      expect((await watcher.until(of('question_pending', asked.conversationId))).data).toEqual(asked);
    }
    expect((await p.answer(late.conversationId, { answer: 'A' })).status).toBe(200);
    await p.call('POST', `/v1/conversations/${soon.conversationId}/questions/latest/decline`);
    await p.client.workflow.getHandle(asked.conversationId).terminate();
    for (const watcher of [one, two]) {
      const settled = (id: string) => watcher.until(of('question_answered', id));
      expect((await settled(late.conversationId)).data).toMatchObject({
        status: 'answered',
        outcome: { answers: { q1: 'A' } },
      });
      expect((await settled(soon.conversationId)).data).toMatchObject({ status: 'declined' });
      expect((await settled(asked.conversationId)).data).toMatchObject({
        status: 'cancelled',
        outcome: { via: 'temporal' },
      });
      expect(watcher.events).toHaveLength(5);
      watcher.leave();
    }
  });

  it('shows only what was asked for', async () => {
    const [mine, other] = [await parked(), await parked('Hello', { agent: 'assistant' })];
    const byConversation = await watchInboxEvents(fast.url, `?conversation=${mine.conversationId}`);
    const byAgent = await watchInboxEvents(fast.url, '?agent=assistant');
    expect((await byConversation.until(snapshot)).data.items).toEqual([mine]);
    expect((await byAgent.until(snapshot)).data.items).toContainEqual(other);
    expect((await byAgent.until(snapshot)).data.items).not.toContainEqual(mine);
    await p.answer(other.conversationId, { answer: 'A' });
    await byAgent.until(of('question_answered', other.conversationId));
    await p.answer(mine.conversationId, { answer: 'A' });
    await byConversation.until(of('question_answered', mine.conversationId));
    expect(byConversation.events).toHaveLength(2);
    expect(byAgent.events.some(of('question_answered', mine.conversationId))).toBe(false);
    byConversation.leave();
    byAgent.leave();

    const bad = await p.call<Problem>('GET', "/v1/questions/events?agent=x' OR");
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_request']);
  });

  it('shows only what one may see', async () => {
    const mine = await parked('Hello', { metadata: { team: 'ours' } });
    const guarded = await startStreamServer(
      p,
      { inboxEveryMs: 20 },
      (run) => run.memo.conversation.metadata.team === 'ours',
    );
    const watcher = await watchInboxEvents(guarded.url);
    expect((await watcher.until(snapshot)).data.items).toEqual([mine]);
    await p.answer((await parked()).conversationId, { answer: 'A' });
    const next = await parked('Hello', { metadata: { team: 'ours' } });
    await watcher.until(of('question_pending', next.conversationId));
    for (const { conversationId } of [mine, next]) {
      await p.answer(conversationId, { answer: 'A' });
      await watcher.until(of('question_answered', conversationId));
    }
    expect(watcher.events).toHaveLength(4);
    watcher.leave();
    await guarded.stop();
  });

  it('tells of a question that was settled and of the next one, though both came between two looks', async () => {
    const slow = await startStreamServer(p, { inboxEveryMs: 1_500 });
    const first = await parked('Ask me 2 times');
    const id = first.conversationId;
    const watcher = await watchInboxEvents(slow.url, `?conversation=${id}`);
    expect((await watcher.until(snapshot)).data.items).toEqual([first]);
    await p.answer(id, { answer: 'A' });
    await p.question(id, 'question-2');
    const answered = await watcher.until(of('question_answered', id));
    const pending = await watcher.until(of('question_pending', id, 'question-2'));
    expect(answered.data).toMatchObject({ status: 'answered', outcome: { answers: { q1: 'A' } } });
    expect(pending.data).toEqual(await p.question(id));
    expect(watcher.events.map(({ event }) => event)).toEqual(['snapshot', 'question_answered', 'question_pending']);
    watcher.leave();
    await slow.stop();
  });

  it('is looked at only while somebody watches', async () => {
    while (fast.live.counts().viewers > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const service = fast.client.workflowService;
    const { listWorkflowExecutions } = service;
    let lists = 0;
    let underWay = 0;
    service.listWorkflowExecutions = (async (request: object) => {
      lists += 1;
      underWay += 1;
      return (listWorkflowExecutions as unknown as (request: object) => Promise<never>)
        .call(service, request)
        .finally(() => {
          underWay -= 1;
        });
    }) as never;
    expect(fast.live.counts()).toEqual({ tails: 0, viewers: 0 });
    const watchers = await Promise.all(Array.from({ length: 20 }, () => watchInboxEvents(fast.url)));
    await Promise.all(watchers.map((watcher) => watcher.until(snapshot)));
    expect(fast.live.counts()).toEqual({ tails: 1, viewers: 20 });
    expect(lists).toBeLessThan(5);
    for (const watcher of watchers) watcher.leave();
    while (fast.live.counts().tails > 0 || underWay > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const before = lists;
    const question = await parked();
    expect(lists).toBe(before);
    const again = await watchInboxEvents(fast.url, `?conversation=${question.conversationId}`);
    expect((await again.until(snapshot)).data.items).toEqual([question]);
    again.leave();
  });

  it('waits to tell what became of a question until that can be read', async () => {
    const slow = await startStreamServer(p, { inboxEveryMs: 5_000 });
    const { conversationId: id } = await parked('Ask me 3 times');
    const watcher = await watchInboxEvents(slow.url, `?conversation=${id}`);
    await watcher.until(snapshot);
    for (const next of ['question-2', 'question-3']) {
      await p.answer(id, { answer: 'A' });
      await p.question(id, next);
    }
    // The first is no longer the last that was settled: only a worker can tell of it.
    await p.stopWorker();
    await watcher.until(of('question_pending', id, 'question-3'));
    expect(watcher.events).toHaveLength(2);
    await p.startWorker();
    expect((await watcher.until(of('question_answered', id))).data.outcome?.answers).toEqual({ q1: 'A' });
    expect(watcher.events).toHaveLength(3);
    watcher.leave();
    await slow.stop();
  });
});

import type { StreamHub } from '#api/streaming/hub';
import { DEFAULT_WAIT_LIMITS } from '#api/temporal/gateway';
import type { Problem } from '#contract/problem';
import type { ModelScript } from '#models/demo/reply';
import { startApiWithWaitLimits, withWaitLimits } from '#test/support/api/api-with-wait-limits';
import { type InterleavingScenario, runInterleaved } from '#test/support/api/interleaving';
import {
  type CallApi,
  PATIENCE_WITH_WORKER,
  PATIENCE_WITHOUT_WORKER,
  startParley,
  type TestParley,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { isEventNamed, listEventNames, watchConversationEvents } from '#test/support/sse-client';
import { startTcpProxy } from '#test/support/tcp-proxy';
import { readFirstMessage } from '#test/support/web/web-fixture';

const todos = [{ content: 'Wait', status: 'in_progress' }];

/** Asks and is done; or makes a list and then has nothing more to say, until it is asked a third time. */
const script: ModelScript = (request) => {
  if (readFirstMessage(request) !== 'List')
    return lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');
  if (lastToolResults(request).length === 0)
    return { text: 'Hm', ...replyWithToolCalls({ name: 'write_todos', input: { todos } }) };
  listed += 1;
  return listed === 1 ? { text: 'never', hold: new Promise(() => undefined) } : replyWithText('done');
};
let listed = 0;

const AFTER = ['4 question_answered', '5 status', '6 message', '7 status', 'done'];

describe('the events of a conversation, with no worker running', () => {
  /** Asked while a worker is up. */
  let p: TestParley;
  /** Asked while none is: it soon gives up waiting for one. */
  let alone: { url: string; call: CallApi; live: StreamHub; stop(): Promise<void> };
  let played: Map<string, Promise<void>>;

  async function parked(): Promise<string> {
    const id = await p.start();
    await p.question(id);
    return id;
  }
  const answer = (id: string) => alone.call('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'A' });
  const read = async (id: string) => (await alone.call('GET', `/v1/conversations/${id}`)).body;

  const SCENES: Record<string, InterleavingScenario> = {
    'begin with what the run wrote down of itself, and go on when a worker is there': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      const [watcher, resumed, older] = await Promise.all([
        watchConversationEvents(alone.url, id),
        watchConversationEvents(alone.url, id, 3),
        watchConversationEvents(alone.url, id, 1),
      ]);
      expect((await watcher.until(isEventNamed('snapshot'))).data).toEqual(await read(id));
      expect((await answer(id)).status).toBe(202);
      await back();
      await Promise.all([watcher.ended, resumed.ended, older.ended]);
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...AFTER]);
      expect(listEventNames(resumed.events)).toEqual(AFTER);
      expect(listEventNames(older.events)).toEqual(['2 question_pending', '3 status', ...AFTER]);
    },

    'begin so too before the first worker has ever seen it': async ({ gone, back }) => {
      await gone();
      const id = await p.start();
      const watcher = await watchConversationEvents(alone.url, id);
      expect(await watcher.until(isEventNamed('snapshot'))).toMatchObject({
        id: 1,
        data: { status: 'running' },
      });
      await back();
      await watcher.until(isEventNamed('question_pending'));
      await p.answer(id, { answer: 'A' });
      await watcher.ended;
      expect(listEventNames(watcher.events)).toEqual(['1 snapshot', '2 question_pending', '3 status', ...AFTER]);
    },

    'are refused where a run of an older version has not written its number down': async ({ gone }) => {
      await gone();
      const id = await p.start();
      const { memo } = await p.client.workflow.getHandle(id).describe();
      const { lastEntry, ...older } = memo ?? {};
      expect(lastEntry).toBe(1);
      const olderId = `${id}-older`;
      await p.client.workflow.start('conversation', {
        workflowId: olderId,
        taskQueue: p.taskQueue,
        args: [null],
        memo: { ...older, conversation: { ...(older.conversation as object), id: olderId } },
      });
      // An API that only this test asks: nobody else watches there.
      const own = await startApiWithWaitLimits(p, { patience: PATIENCE_WITHOUT_WORKER });
      const { status, body } = await own.call<Problem>('GET', `/v1/conversations/${olderId}/events`);
      expect([status, body.code]).toEqual([503, 'worker_unavailable']);
      await p.client.workflow.getHandle(olderId).terminate();
      await p.client.workflow.getHandle(id).terminate();
      expect(own.live.counts()).toEqual({ tails: 0, viewers: 0 });
      await own.stop();
    },

    'end when the run is terminated in Temporal': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      const watcher = await watchConversationEvents(alone.url, id);
      await watcher.until(isEventNamed('snapshot'));
      await p.client.workflow.getHandle(id).terminate();
      await watcher.ended;
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', 'done']);
      expect(watcher.events.at(-1)?.data).toEqual(await read(id));
      expect(watcher.events.at(-1)?.data).toMatchObject({ status: 'cancelled', question: null });

      expect((await watchConversationEvents(alone.url, id, 3)).status).toBe(204);
      const older = await watchConversationEvents(alone.url, id, 1);
      await older.ended;
      expect(listEventNames(older.events)).toEqual(['3 snapshot', 'done']);
      await back();
      const whole = await watchConversationEvents(p.url, id, 1);
      await whole.ended;
      expect(listEventNames(whole.events)).toEqual(['2 question_pending', '3 status', 'done']);
    },

    'are not begun anew for who has more than the run wrote down of itself': async ({ gone, back }) => {
      const id = await p.start('List');
      while (listed === 0) await p.model.received(p.model.requests.length);
      await gone();
      const [fresh, ahead] = await Promise.all([
        watchConversationEvents(alone.url, id),
        watchConversationEvents(alone.url, id, 3),
      ]);
      expect((await fresh.until(isEventNamed('snapshot'))).id).toBe(1);
      await back();
      await Promise.all([fresh.ended, ahead.ended]);
      const all = ['1 snapshot', '2 message', '3 todos', '4 message', '5 status', 'done'];
      expect(listEventNames(fresh.events)).toEqual(all);
      expect(listEventNames(ahead.events)).toEqual(all.slice(3));
    },
  };

  beforeAll(async () => {
    listed = 0;
    p = await startParley({ ownWorker: true, script });
    await withWaitLimits(p, { patience: PATIENCE_WITH_WORKER });
    alone = await startApiWithWaitLimits(p, { patience: PATIENCE_WITHOUT_WORKER });
    played = runInterleaved(p, SCENES);
  });
  afterAll(async () => {
    await Promise.allSettled(played.values());
    await alone.stop();
    await p.stop();
  });

  it.each(Object.keys(SCENES))('%s', (name) => played.get(name));
});

it('are of the run that ended, though it has been taken up again since', async () => {
  const p = await startParley({ script });
  const id = await p.start();
  const watcher = await watchConversationEvents(p.url, id);
  await watcher.until(isEventNamed('snapshot'));
  await p.question(id);
  await p.answer(id, { answer: 'A' });
  await p.until(id, 'completed');
  await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
  await watcher.ended;
  expect(watcher.events.at(-1)).toMatchObject({
    event: 'done',
    data: { status: 'completed', result: 'done' },
  });
  await p.stop();
});

it('outlast Temporal being down: those who watch stay, and miss nothing', async () => {
  const way = await startTcpProxy(`http://${process.env.PARLEY_TEST_ADDRESS}`);
  const p = await startParley({ script });
  const there = { ...p.config, temporal: { ...p.config.temporal, address: new URL(way.url).host } };
  // Only the API is cut off: the worker goes on.
  const api = await startApiWithWaitLimits(
    { ...p, config: there },
    { patience: { ...DEFAULT_WAIT_LIMITS, rpcMs: 2_000 } },
  );
  const id = await p.start();
  await p.question(id);
  const watcher = await watchConversationEvents(api.url, id);
  await watcher.until(isEventNamed('snapshot'));

  way.cut();
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect((await api.call('GET', `/v1/conversations/${id}/events`)).status).toBe(503);
  await p.answer(id, { answer: 'A' });
  await p.until(id, 'completed');
  way.mend();
  await watcher.ended;
  expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...AFTER]);

  await api.stop();
  await p.stop();
  await way.stop();
});

import type { StreamHub } from '#api/streaming/hub';
import { DEFAULT_WAIT_LIMITS } from '#api/temporal/gateway';
import type { ModelScript } from '#models/demo/reply';
import { startApiWithWaitLimits, withWaitLimits } from '#test/support/api/api-with-wait-limits';
import { type InterleavingScenario, runInterleaved } from '#test/support/api/interleaving';
import {
  type CallApi,
  startParley,
  type TestParley,
  WAIT_LIMITS_WITH_WORKER,
  WAIT_LIMITS_WITHOUT_WORKER,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { isEventNamed, listEventNames, watchConversationEvents } from '#test/support/sse-client';
import { startTcpProxy } from '#test/support/tcp-proxy';
import { readFirstMessage } from '#test/support/web/web-fixture';

const todos = [{ content: 'Wait', status: 'in_progress' }];

/** Asks and ends; or writes a to-do list and then nothing more, until the third call. */
const script: ModelScript = (request) => {
  if (readFirstMessage(request) !== 'List')
    return lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B');
  if (lastToolResults(request).length === 0)
    return { text: 'Hm', ...replyWithToolCalls({ name: 'write_todos', input: { todos } }) };
  todoTurns += 1;
  return todoTurns === 1 ? { text: 'never', hold: new Promise(() => undefined) } : replyWithText('done');
};
let todoTurns = 0;

const EVENTS_AFTER_ANSWER = ['4 question_answered', '5 status', '6 message', '7 status', 'done'];

describe('the events of a conversation, with no worker running', () => {
  /** Used while a worker is running. */
  let p: TestParley;
  /** Used while none is: it soon stops waiting for one. */
  let apiWithoutWorker: { url: string; call: CallApi; live: StreamHub; stop(): Promise<void> };
  let scenarioResults: Map<string, Promise<void>>;

  async function startParkedConversation(): Promise<string> {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    return id;
  }
  const answer = (id: string) =>
    apiWithoutWorker.call('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'A' });
  const readConversation = async (id: string) => (await apiWithoutWorker.call('GET', `/v1/conversations/${id}`)).body;

  const SCENARIOS: Record<string, InterleavingScenario> = {
    'begin with what the run wrote down of itself, and go on when a worker is there': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      const [watcher, resumed, older] = await Promise.all([
        watchConversationEvents(apiWithoutWorker.url, id),
        watchConversationEvents(apiWithoutWorker.url, id, 3),
        watchConversationEvents(apiWithoutWorker.url, id, 1),
      ]);
      expect((await watcher.waitForEvent(isEventNamed('snapshot'))).data).toEqual(await readConversation(id));
      expect((await answer(id)).status).toBe(202);
      await workerRestarted();
      await Promise.all([watcher.closed, resumed.closed, older.closed]);
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...EVENTS_AFTER_ANSWER]);
      expect(listEventNames(resumed.events)).toEqual(EVENTS_AFTER_ANSWER);
      expect(listEventNames(older.events)).toEqual(['2 question_pending', '3 status', ...EVENTS_AFTER_ANSWER]);
    },

    'begin so too before the first worker has ever seen it': async ({ workerStopped, workerRestarted }) => {
      await workerStopped();
      const id = await p.startConversation();
      const watcher = await watchConversationEvents(apiWithoutWorker.url, id);
      expect(await watcher.waitForEvent(isEventNamed('snapshot'))).toMatchObject({
        id: 1,
        data: { status: 'running' },
      });
      await workerRestarted();
      await watcher.waitForEvent(isEventNamed('question_pending'));
      await p.answer(id, { answer: 'A' });
      await watcher.closed;
      expect(listEventNames(watcher.events)).toEqual([
        '1 snapshot',
        '2 question_pending',
        '3 status',
        ...EVENTS_AFTER_ANSWER,
      ]);
    },

    'end when the run is terminated in Temporal': async ({ workerStopped, workerRestarted }) => {
      const id = await startParkedConversation();
      await workerStopped();
      const watcher = await watchConversationEvents(apiWithoutWorker.url, id);
      await watcher.waitForEvent(isEventNamed('snapshot'));
      await p.client.workflow.getHandle(id).terminate();
      await watcher.closed;
      expect(listEventNames(watcher.events)).toEqual(['3 snapshot', 'done']);
      expect(watcher.events.at(-1)?.data).toEqual(await readConversation(id));
      expect(watcher.events.at(-1)?.data).toMatchObject({ status: 'cancelled', question: null });

      expect((await watchConversationEvents(apiWithoutWorker.url, id, 3)).status).toBe(204);
      const older = await watchConversationEvents(apiWithoutWorker.url, id, 1);
      await older.closed;
      expect(listEventNames(older.events)).toEqual(['3 snapshot', 'done']);
      await workerRestarted();
      const completeWatcher = await watchConversationEvents(p.url, id, 1);
      await completeWatcher.closed;
      expect(listEventNames(completeWatcher.events)).toEqual(['2 question_pending', '3 status', 'done']);
    },

    'are not begun anew for who has more than the run wrote down of itself': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await p.startConversation('List');
      while (todoTurns === 0) await p.model.waitForRequest(p.model.requests.length);
      await workerStopped();
      const [fresh, ahead] = await Promise.all([
        watchConversationEvents(apiWithoutWorker.url, id),
        watchConversationEvents(apiWithoutWorker.url, id, 3),
      ]);
      expect((await fresh.waitForEvent(isEventNamed('snapshot'))).id).toBe(1);
      await workerRestarted();
      await Promise.all([fresh.closed, ahead.closed]);
      const expectedEvents = ['1 snapshot', '2 message', '3 todos', '4 message', '5 status', 'done'];
      expect(listEventNames(fresh.events)).toEqual(expectedEvents);
      expect(listEventNames(ahead.events)).toEqual(expectedEvents.slice(3));
    },
  };

  beforeAll(async () => {
    todoTurns = 0;
    p = await startParley({ ownWorker: true, script });
    await withWaitLimits(p, { waitLimits: WAIT_LIMITS_WITH_WORKER });
    apiWithoutWorker = await startApiWithWaitLimits(p, { waitLimits: WAIT_LIMITS_WITHOUT_WORKER });
    scenarioResults = runInterleaved(p, SCENARIOS);
  });
  afterAll(async () => {
    await Promise.allSettled(scenarioResults.values());
    await apiWithoutWorker.stop();
    await p.stop();
  });

  it.each(Object.keys(SCENARIOS))('%s', (name) => scenarioResults.get(name));
});

it('belong to the run that ended, even if it was resumed since', async () => {
  const p = await startParley({ script });
  const id = await p.startConversation();
  const watcher = await watchConversationEvents(p.url, id);
  await watcher.waitForEvent(isEventNamed('snapshot'));
  await p.waitForQuestion(id);
  await p.answer(id, { answer: 'A' });
  await p.waitForStatus(id, 'completed');
  await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
  await watcher.closed;
  expect(watcher.events.at(-1)).toMatchObject({
    event: 'done',
    data: { status: 'completed', result: 'done' },
  });
  await p.stop();
});

it('survive an outage of Temporal: viewers stay connected, and miss nothing', async () => {
  const proxy = await startTcpProxy(`http://${process.env.PARLEY_TEST_ADDRESS}`);
  const p = await startParley({ script });
  const config = { ...p.config, temporal: { ...p.config.temporal, address: new URL(proxy.url).host } };
  // Only the API is cut off; the worker continues.
  const api = await startApiWithWaitLimits({ ...p, config }, { waitLimits: { ...DEFAULT_WAIT_LIMITS, rpcMs: 2_000 } });
  const id = await p.startConversation();
  await p.waitForQuestion(id);
  const watcher = await watchConversationEvents(api.url, id);
  await watcher.waitForEvent(isEventNamed('snapshot'));

  proxy.cut();
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect((await api.call('GET', `/v1/conversations/${id}/events`)).status).toBe(503);
  await p.answer(id, { answer: 'A' });
  await p.waitForStatus(id, 'completed');
  proxy.restore();
  await watcher.closed;
  expect(listEventNames(watcher.events)).toEqual(['3 snapshot', ...EVENTS_AFTER_ANSWER]);

  await api.stop();
  await p.stop();
  await proxy.stop();
});

import { PATIENCE } from '#api/gateway';
import type { Live } from '#api/live/live';
import type { Problem } from '#contract/problem';
import type { Script } from '#model/rehearsal';
import { inStep, type Scene } from '#test/support/api/in-step';
import { apiWithPatience, NOBODY_COMES, SOMEBODY_COMES, withPatience } from '#test/support/api/patience';
import { cuttable } from '#test/support/cuttable';
import { type Call, type Parley, parley } from '#test/support/parley';
import { ask, lastToolResults, say, use } from '#test/support/scripted-model';
import { isNamed, told, watch } from '#test/support/watcher';
import { firstMessage } from '#test/support/web';

const todos = [{ content: 'Wait', status: 'in_progress' }];

/** Asks and is done; or makes a list and then has nothing more to say, until it is asked a third time. */
const script: Script = (request) => {
  if (firstMessage(request) !== 'List')
    return lastToolResults(request).length > 0 ? say('done') : ask('Which?', 'A', 'B');
  if (lastToolResults(request).length === 0)
    return { text: 'Hm', ...use({ name: 'write_todos', input: { todos } }) };
  listed += 1;
  return listed === 1 ? { text: 'never', hold: new Promise(() => undefined) } : say('done');
};
let listed = 0;

const AFTER = ['4 question_answered', '5 status', '6 message', '7 status', 'done'];

describe('the events of a conversation, with no worker running', () => {
  /** Asked while a worker is up. */
  let p: Parley;
  /** Asked while none is: it soon gives up waiting for one. */
  let alone: { url: string; call: Call; live: Live; stop(): Promise<void> };
  let played: Map<string, Promise<void>>;

  async function parked(): Promise<string> {
    const id = await p.start();
    await p.question(id);
    return id;
  }
  const answer = (id: string) =>
    alone.call('POST', `/v1/conversations/${id}/questions/latest/answer`, { answer: 'A' });
  const read = async (id: string) => (await alone.call('GET', `/v1/conversations/${id}`)).body;

  const SCENES: Record<string, Scene> = {
    'begin with what the run wrote down of itself, and go on when a worker is there': async ({
      gone,
      back,
    }) => {
      const id = await parked();
      await gone();
      const [watcher, resumed, older] = await Promise.all([
        watch(alone.url, id),
        watch(alone.url, id, 3),
        watch(alone.url, id, 1),
      ]);
      expect((await watcher.until(isNamed('snapshot'))).data).toEqual(await read(id));
      expect((await answer(id)).status).toBe(202);
      await back();
      await Promise.all([watcher.ended, resumed.ended, older.ended]);
      expect(told(watcher.events)).toEqual(['3 snapshot', ...AFTER]);
      expect(told(resumed.events)).toEqual(AFTER);
      expect(told(older.events)).toEqual(['2 question_pending', '3 status', ...AFTER]);
    },

    'begin so too before the first worker has ever seen it': async ({ gone, back }) => {
      await gone();
      const id = await p.start();
      const watcher = await watch(alone.url, id);
      expect(await watcher.until(isNamed('snapshot'))).toMatchObject({ id: 1, data: { status: 'running' } });
      await back();
      await watcher.until(isNamed('question_pending'));
      await p.answer(id, { answer: 'A' });
      await watcher.ended;
      expect(told(watcher.events)).toEqual(['1 snapshot', '2 question_pending', '3 status', ...AFTER]);
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
      const own = await apiWithPatience(p, { patience: NOBODY_COMES });
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
      const watcher = await watch(alone.url, id);
      await watcher.until(isNamed('snapshot'));
      await p.client.workflow.getHandle(id).terminate();
      await watcher.ended;
      expect(told(watcher.events)).toEqual(['3 snapshot', 'done']);
      expect(watcher.events.at(-1)?.data).toEqual(await read(id));
      expect(watcher.events.at(-1)?.data).toMatchObject({ status: 'cancelled', question: null });

      expect((await watch(alone.url, id, 3)).status).toBe(204);
      const older = await watch(alone.url, id, 1);
      await older.ended;
      expect(told(older.events)).toEqual(['3 snapshot', 'done']);
      await back();
      const whole = await watch(p.url, id, 1);
      await whole.ended;
      expect(told(whole.events)).toEqual(['2 question_pending', '3 status', 'done']);
    },

    'are not begun anew for who has more than the run wrote down of itself': async ({ gone, back }) => {
      const id = await p.start('List');
      while (listed === 0) await p.model.received(p.model.requests.length);
      await gone();
      const [fresh, ahead] = await Promise.all([watch(alone.url, id), watch(alone.url, id, 3)]);
      expect((await fresh.until(isNamed('snapshot'))).id).toBe(1);
      await back();
      await Promise.all([fresh.ended, ahead.ended]);
      const all = ['1 snapshot', '2 message', '3 todos', '4 message', '5 status', 'done'];
      expect(told(fresh.events)).toEqual(all);
      expect(told(ahead.events)).toEqual(all.slice(3));
    },
  };

  beforeAll(async () => {
    listed = 0;
    p = await parley({ ownWorker: true, script });
    await withPatience(p, { patience: SOMEBODY_COMES });
    alone = await apiWithPatience(p, { patience: NOBODY_COMES });
    played = inStep(p, SCENES);
  });
  afterAll(async () => {
    await Promise.allSettled(played.values());
    await alone.stop();
    await p.stop();
  });

  it.each(Object.keys(SCENES))('%s', (name) => played.get(name));
});

it('are of the run that ended, though it has been taken up again since', async () => {
  const p = await parley({ script });
  const id = await p.start();
  const watcher = await watch(p.url, id);
  await watcher.until(isNamed('snapshot'));
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
  const way = await cuttable(`http://${process.env.PARLEY_TEST_ADDRESS}`);
  const p = await parley({ script });
  const there = { ...p.config, temporal: { ...p.config.temporal, address: new URL(way.url).host } };
  // Only the API is cut off: the worker goes on.
  const api = await apiWithPatience({ ...p, config: there }, { patience: { ...PATIENCE, rpcMs: 2_000 } });
  const id = await p.start();
  await p.question(id);
  const watcher = await watch(api.url, id);
  await watcher.until(isNamed('snapshot'));

  way.cut();
  expect((await api.call('GET', '/readyz')).status).toBe(503);
  expect((await api.call('GET', `/v1/conversations/${id}/events`)).status).toBe(503);
  await p.answer(id, { answer: 'A' });
  await p.until(id, 'completed');
  way.mend();
  await watcher.ended;
  expect(told(watcher.events)).toEqual(['3 snapshot', ...AFTER]);

  await api.stop();
  await p.stop();
  await way.stop();
});

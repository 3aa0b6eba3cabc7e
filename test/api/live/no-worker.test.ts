import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Problem } from '../../../src/contract/problem';
import type { Script } from '../../../src/model/rehearsal';
import { startDevServer } from '../../../src/temporal/local/dev-server';
import { temporalCli } from '../../../src/temporal/toolchain';
import { door } from '../../helpers/door';
import { type Parley, parley } from '../../helpers/parley';
import { ask, lastToolResults, say } from '../../helpers/scripted-model';
import { isNamed, told, watch } from '../../helpers/watcher';

const askOnce: Script = (request) =>
  lastToolResults(request).length > 0 ? say('done') : ask('Which?', 'A', 'B');

const AFTER = ['4 question_answered', '5 status', '6 message', '7 status', 'done'];

describe('the events of a conversation, with no worker running', () => {
  let p: Parley;
  beforeAll(async () => {
    p = await parley({ worker: false, script: askOnce });
  });
  afterAll(() => p.stop());

  async function parked(): Promise<string> {
    await p.startWorker();
    const id = await p.start();
    await p.question(id);
    await p.stopWorker();
    return id;
  }

  it('begin with what the run wrote down of itself, and go on when a worker is there', async () => {
    const id = await parked();
    const [watcher, resumed, older] = await Promise.all([
      watch(p.url, id),
      watch(p.url, id, 3),
      watch(p.url, id, 1),
    ]);
    expect((await watcher.until(isNamed('snapshot'))).data).toEqual(await p.conversation(id));
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    await p.startWorker();
    await Promise.all([watcher.ended, resumed.ended, older.ended]);
    await p.stopWorker();
    expect(told(watcher.events)).toEqual(['3 snapshot', ...AFTER]);
    expect(told(resumed.events)).toEqual(AFTER);
    expect(told(older.events)).toEqual(['2 question_pending', '3 status', ...AFTER]);
  });

  it('begin so too before the first worker has ever seen it', async () => {
    const id = await p.start();
    const watcher = await watch(p.url, id);
    expect(await watcher.until(isNamed('snapshot'))).toMatchObject({ id: 1, data: { status: 'running' } });
    await p.startWorker();
    await watcher.until(isNamed('question_pending'));
    await p.answer(id, { answer: 'A' });
    await watcher.ended;
    await p.stopWorker();
    expect(told(watcher.events)).toEqual(['1 snapshot', '2 question_pending', '3 status', ...AFTER]);
  });

  it('are refused where a run of an older version has not written its number down', async () => {
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
    const { status, body } = await p.call<Problem>('GET', `/v1/conversations/${olderId}/events`);
    expect([status, body.code]).toEqual([503, 'worker_unavailable']);
    await p.client.workflow.getHandle(olderId).terminate();
    await p.client.workflow.getHandle(id).terminate();
    expect(p.live.counts()).toEqual({ tails: 0, viewers: 0 });
  });

  it('end when the run is terminated in Temporal', async () => {
    const id = await parked();
    const watcher = await watch(p.url, id);
    await watcher.until(isNamed('snapshot'));
    await p.client.workflow.getHandle(id).terminate();
    await watcher.ended;
    expect(told(watcher.events)).toEqual(['3 snapshot', 'done']);
    expect(watcher.events.at(-1)?.data).toEqual(await p.conversation(id));
    expect(watcher.events.at(-1)?.data).toMatchObject({ status: 'cancelled', question: null });

    expect((await watch(p.url, id, 3)).status).toBe(204);
    const older = await watch(p.url, id, 1);
    await older.ended;
    expect(told(older.events)).toEqual(['3 snapshot', 'done']);
    await p.startWorker();
    const whole = await watch(p.url, id, 1);
    await whole.ended;
    expect(told(whole.events)).toEqual(['2 question_pending', '3 status', 'done']);
    await p.stopWorker();
  });

  it('are of the run that ended, though it has been taken up again since', async () => {
    await p.startWorker();
    const id = await p.start();
    const watcher = await watch(p.url, id);
    await watcher.until(isNamed('question_pending'));
    await p.answer(id, { answer: 'A' });
    await p.until(id, 'completed');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'Again' });
    await watcher.ended;
    expect(watcher.events.at(-1)).toMatchObject({
      event: 'done',
      data: { status: 'completed', result: 'done' },
    });
    await p.stopWorker();
  });
});

it('are not begun anew for who has more than the run wrote down of itself', async () => {
  const todos = [{ content: 'Wait', status: 'in_progress' }];
  const p = await parley({
    replies: [
      { text: 'Hm', calls: [{ name: 'write_todos', input: { todos } }] },
      { text: 'never', hold: new Promise(() => undefined) },
      say('done'),
    ],
  });
  const id = await p.start();
  await p.model.received(1);
  await p.stopWorker();
  const [fresh, ahead] = await Promise.all([watch(p.url, id), watch(p.url, id, 3)]);
  expect((await fresh.until(isNamed('snapshot'))).id).toBe(1);
  await p.startWorker();
  await Promise.all([fresh.ended, ahead.ended]);
  expect(told(fresh.events)).toEqual(['1 snapshot', '2 message', '3 todos', '4 message', '5 status', 'done']);
  expect(told(ahead.events)).toEqual(['4 message', '5 status', 'done']);
  await p.stop();
});

it('outlast Temporal being down: those who watch stay, and miss nothing', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-live-'));
  const way = await door();
  const server = await startDevServer({ cli: temporalCli(), logFile: path.join(folder, 'temporal.log') });
  way.open(server.port);
  const p = await parley({ address: `127.0.0.1:${way.port}`, worker: false, script: askOnce });
  while ((await p.call('GET', '/readyz')).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await p.startWorker();
  const id = await p.start();
  await p.question(id);
  const watcher = await watch(p.url, id);
  await watcher.until(isNamed('snapshot'));

  way.shut();
  while ((await p.call('GET', '/readyz')).status !== 503)
    await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await p.call('GET', `/v1/conversations/${id}/events`)).status).toBe(503);
  way.open(server.port);
  while ((await p.answer(id, { answer: 'A' })).status === 503)
    await new Promise((resolve) => setTimeout(resolve, 50));
  await watcher.ended;
  expect(told(watcher.events)).toEqual(['3 snapshot', ...AFTER]);

  await p.stop();
  way.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

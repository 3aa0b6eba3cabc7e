import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import threads from 'node:worker_threads';
import { Client, Connection } from '@temporalio/client';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';
import { withDeadlockDetector } from '#worker/deadlock-detector/detector';
import { allocateSharedCallState, openSharedCallState } from '#worker/deadlock-detector/shared-state';

describe.each(['one', 'many'])('a watched worker with %s V8 contexts', (contexts) => {
  const address = process.env.PARLEY_TEST_ADDRESS ?? '';
  const taskQueue = `watch-${randomUUID()}`;
  let client: Client;
  let worker: RunningProcess;
  beforeAll(async () => {
    client = new Client({ connection: await Connection.connect({ address }) });
    worker = startNodeProcess('test/support/worker/deadlock-detector/process.js', {}, [address, taskQueue, contexts]);
    await worker.waitForOutput(/ready/);
  });
  afterAll(async () => {
    worker.child.kill('SIGKILL');
    await client.connection.close();
  });

  it('allows slow workflow tasks, many times over', async () => {
    const runSlowWorkflow = (index: number) =>
      client.workflow.execute('slow', {
        taskQueue,
        workflowId: `slow-${index}-${taskQueue}`,
        args: [20_000_000],
      });
    const sums = await Promise.all([1, 2, 3].map(runSlowWorkflow));
    expect(new Set(sums)).toEqual(new Set([59_999_997]));
  });

  it("reports the workflow's part of a stack, and nothing of the SDK", async () => {
    const handle = await client.workflow.start('parked', { taskQueue, workflowId: `parked-${taskQueue}` });
    const { stacks } = await handle.query<{ stacks: { locations: { file_path?: string }[] }[] }>(
      '__enhanced_stack_trace',
    );
    const files = stacks.flatMap(({ locations }) => locations.map(({ file_path: file = '' }) => file));
    expect(files).toContainEqual(expect.stringContaining('workflows.js'));
    expect(files.filter((file) => /^node:|thread\.js$/.test(file))).toEqual([]);
    await handle.terminate();
  });

  it('stops when workflow code does not return, and names the conversation', async () => {
    const workflowId = `endless-${taskQueue}`;
    const handle = await client.workflow.start('endless', { taskQueue, workflowId });
    expect(await worker.exited).toBe(7);
    expect(worker.output()).toContain(`WorkflowDeadlockError: The workflow code of ${workflowId} has not returned`);
    await handle.terminate();
  });
});

describe('a workflow thread', () => {
  const THREAD_FILE = path.join(__dirname, '../../../support/worker/deadlock-detector/workflow-worker-thread.js');
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('keeps its own data, and may spend 15 s in one call', async () => {
    const entered = new SharedArrayBuffer(4);
    const createThread = async () => new threads.Worker(THREAD_FILE, { workerData: { entered } });
    const detected = await withDeadlockDetector(createThread, { detector: 'parley', log: { warn: jest.fn() } });
    const { worker: thread, deadlocked, stopDetector } = detected;
    expect(await once(thread, 'message')).toEqual([['entered']]);
    thread.postMessage('loop');
    expect(Atomics.wait(new Int32Array(entered), 0, 0, 30_000)).not.toBe('timed-out');
    const onDeadlock = jest.fn();
    deadlocked.catch(onDeadlock);
    // The first check finds the thread in the call; the limit counts from there.
    await jest.advanceTimersByTimeAsync(15_000);
    expect(onDeadlock).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1_000);
    expect(onDeadlock).toHaveBeenCalledWith(
      expect.objectContaining({ name: 'WorkflowDeadlockError', workflowId: 'endless' }),
    );
    stopDetector();
    await thread.terminate();
  });
});

test('shares what one thread marks with the other: which call it is in, and that it is a new one', () => {
  const memory = allocateSharedCallState();
  const [writer, reader] = [openSharedCallState(memory), openSharedCallState(memory)];
  expect(reader.currentCall()).toBeUndefined();
  writer.enter('first');
  expect([reader.currentCall(), reader.workflowId()]).toEqual([1, 'first']);
  writer.leave();
  expect(reader.currentCall()).toBeUndefined();
  writer.enter('x'.repeat(10_000));
  expect([reader.currentCall(), reader.workflowId()]).toEqual([2, 'x'.repeat(512)]);
});

import type { WorkflowHandle } from '@temporalio/client';
import { defineQuery } from '@temporalio/workflow';
import { WorkerUnavailableError } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
import { coalesceByKey, createRunReader } from '#api/temporal/execution';
import { DEFAULT_WAIT_LIMITS } from '#api/temporal/gateway';
import { createWorkerPresence } from '#api/temporal/worker-presence';

describe('reading a run', () => {
  const run = { id: 'c', runId: 'r' } as Execution;
  const stateQuery = defineQuery<string>('state');
  const changesQuery = defineQuery<string, [after: number]>('changes');
  let sent: string[];
  let lastPollAt: number;
  const createReader = () => {
    const query = async ({ name }: { name: string }, ...args: unknown[]) => {
      sent.push([name, ...args].join(' '));
      return 'reply';
    };
    return createRunReader({
      getHandle: () => ({ query }) as unknown as WorkflowHandle,
      withDeadline: (call) => call(),
      workerPresence: createWorkerPresence(async () => lastPollAt, DEFAULT_WAIT_LIMITS),
      waitLimits: DEFAULT_WAIT_LIMITS,
    });
  };
  beforeEach(() => {
    [sent, lastPollAt] = [[], 1];
  });

  it('sends one query for concurrent identical reads, and another for later ones', async () => {
    const { query } = createReader();
    const readers = [
      query(run, stateQuery),
      query(run, stateQuery),
      query(run, changesQuery, 1),
      query(run, changesQuery, 2),
    ];
    expect(await Promise.all(readers)).toEqual(Array(4).fill('reply'));
    expect(sent).toEqual(['state', 'changes 1', 'changes 2']);
    await query(run, stateQuery);
    expect(sent).toHaveLength(4);
  });

  it('sends no query if no worker is present', async () => {
    lastPollAt = 0;
    await expect(createReader().query(run, stateQuery)).rejects.toBeInstanceOf(WorkerUnavailableError);
    expect(sent).toEqual([]);
  });

  it('finds the last open question in the cache, and no earlier one', () => {
    const { remember, findCachedOpenQuestion } = createReader();
    const runAsking = (id: string | null, status = 'RUNNING') =>
      ({ ...run, status, memo: { question: id && { id } } }) as Execution;
    expect(findCachedOpenQuestion('c', 'question-1')).toBeUndefined();
    const first = remember(runAsking('question-1'));
    expect(findCachedOpenQuestion('c', 'question-1')).toBe(first);
    expect(findCachedOpenQuestion('c', 'question-2')).toBeUndefined();
    remember(runAsking('question-2'));
    expect(findCachedOpenQuestion('c', 'question-1')).toBeUndefined();
    remember(runAsking('question-2', 'COMPLETED'));
    expect(findCachedOpenQuestion('c', 'question-2')).toBeUndefined();
  });
});

describe('loads of one key', () => {
  const pending: { key: string; resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  const load = coalesceByKey(
    (key) =>
      new Promise<string>((resolve, reject) => {
        pending.push({ key, resolve, reject });
      }),
  );
  beforeEach(() => {
    pending.length = 0;
  });

  it('share the next load if they arrive during one', async () => {
    const first = load('a');
    const later = [load('a'), load('a'), load('a')];
    expect(pending).toHaveLength(1);
    pending[0]?.resolve('before');
    expect(await first).toBe('before');
    expect(pending).toHaveLength(2);
    pending[1]?.resolve('after');
    expect(await Promise.all(later)).toEqual(['after', 'after', 'after']);
    expect(pending).toHaveLength(2);
  });

  it('are separate for each key', async () => {
    const both = [load('a'), load('b')];
    expect(pending.map(({ key }) => key)).toEqual(['a', 'b']);
    for (const { key, resolve } of pending) resolve(key.toUpperCase());
    expect(await Promise.all(both)).toEqual(['A', 'B']);
  });

  it('are retried after a failure by those who waited for the next', async () => {
    const first = load('a');
    const second = load('a');
    pending[0]?.reject(new Error('Not now'));
    await expect(first).rejects.toThrow('Not now');
    pending[1]?.resolve('now');
    expect(await second).toBe('now');
    const third = load('a');
    pending[2]?.resolve('anew');
    expect(await third).toBe('anew');
  });
});

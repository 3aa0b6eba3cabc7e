import threads from 'node:worker_threads';
import { Runtime, Worker } from '@temporalio/worker';
import { readConfig } from '#channels/read-config';
import { replayHistories } from '#cli/admin/replay/replay-histories';
import {
  MAX_WORKFLOW_CALL_MS,
  readSdkVersion,
  SUPPORTED_SDK_VERSION,
  withDeadlockDetector,
} from '#worker/deadlock-detector/detector';
import { workerTuning } from '#worker/options';

describe('the deadlock detector', () => {
  const SdkThread = threads.Worker;
  /** Whether the workflow threads of a worker were instrumented, and what was logged. */
  const createWith = async (detector: 'sdk' | 'parley', sdkVersion?: string) => {
    const warn = jest.fn();
    const create = async () => threads.Worker !== SdkThread;
    const { worker: isInstrumented, stopDetector } = await withDeadlockDetector(create, {
      detector,
      log: { warn },
      sdkVersion,
    });
    stopDetector();
    expect(threads.Worker).toBe(SdkThread);
    return { isInstrumented, warn };
  };

  it("is Parley's by default, on the installed version of the SDK", async () => {
    expect(readConfig({}).deadlockDetector).toBe('parley');
    expect(readSdkVersion()).toBe(SUPPORTED_SDK_VERSION);
    const { isInstrumented, warn } = await createWith('parley');
    expect(isInstrumented).toBe(true);
    expect(warn).not.toHaveBeenCalled();
  });

  it("is the SDK's on any other version, which is logged once", async () => {
    const { isInstrumented, warn } = await createWith('parley', '1.23.1');
    expect(isInstrumented).toBe(false);
    expect(warn.mock.calls).toEqual([
      [{ sdkVersion: '1.23.1', supported: SUPPORTED_SDK_VERSION }, expect.stringContaining("Using the SDK's own")],
    ]);
  });

  it("is the SDK's if PARLEY_DEADLOCK_DETECTOR says so", async () => {
    const { deadlockDetector } = readConfig({ PARLEY_DEADLOCK_DETECTOR: 'sdk' });
    const { isInstrumented, warn } = await createWith(deadlockDetector);
    expect(isInstrumented).toBe(false);
    expect(warn).not.toHaveBeenCalled();
    expect(() => readConfig({ PARLEY_DEADLOCK_DETECTOR: 'none' })).toThrow('PARLEY_DEADLOCK_DETECTOR');
  });

  it('has the same limit of 15 s either way, and in a replay', async () => {
    expect(MAX_WORKFLOW_CALL_MS).toBe(15_000);
    expect(workerTuning.isolateExecutionTimeout).toBe(MAX_WORKFLOW_CALL_MS);
    // The runtime would keep the process alive.
    const install = jest.spyOn(Runtime, 'install').mockReturnValue({} as Runtime);
    const replay = jest.spyOn(Worker, 'runReplayHistories').mockImplementation(async function* () {});
    expect(await replayHistories([], { workflowBundle: { code: '' } }).next()).toMatchObject({ done: true });
    expect(replay.mock.calls[0]?.[0]).toMatchObject({ isolateExecutionTimeout: MAX_WORKFLOW_CALL_MS });
    replay.mockRestore();
    install.mockRestore();
  });
});

import type { TaskQueueState } from '#infra/temporal/task-queue';
import { collectLog } from '#test/support/collect-log';
import { watchDeployment } from '#worker/deployment-watch';

const build = (buildId: string, deploymentName = 'parley') => ({ buildId, deploymentName });
const queue = (currentBuildId?: string, rampingBuildId?: string, rampingPercent = 0): TaskQueueState => ({
  pollers: [],
  currentBuild: currentBuildId ? build(currentBuildId) : undefined,
  rampingBuild: rampingBuildId ? build(rampingBuildId) : undefined,
  rampingPercent,
});

/** What a worker logs as Temporal's replies change; an error means that Temporal is down. */
async function logOf(workerBuild: ReturnType<typeof build> | undefined, ...queueStates: (TaskQueueState | Error)[]) {
  const { log, lines } = collectLog();
  await new Promise<void>((resolve) => {
    let readCount = 0;
    const readQueue = async () => {
      const state = queueStates[readCount++];
      if (state === undefined) {
        watch.stop();
        resolve();
      }
      if (state === undefined || state instanceof Error) throw state ?? new Error('enough');
      return state;
    };
    const watch = watchDeployment(readQueue, workerBuild, log, 1);
  });
  return lines().map(({ level, msg }) => [level === 40 ? 'warn' : 'info', msg]);
}

describe('a worker of a build', () => {
  it('says that it gets no work, once, and again when that changes', async () => {
    const logged = await logOf(build('b'), queue('a'), queue('a'), new Error('away'), queue('b'), queue('c'));
    const idleLine = ['warn', 'this build is not the current one and gets no work: parley admin promote b'];
    expect(logged).toEqual([idleLine, ['info', 'build b now handles conversations'], idleLine]);
  });

  it('says that it gets a share while it is ramping, and so does the current one', async () => {
    const share = 'for its share of the conversations: 10 % are ramping';
    const ramping = queue('a', 'b', 10);
    for (const buildId of ['a', 'b'])
      expect(await logOf(build(buildId), ramping)).toEqual([
        ['info', `build ${buildId} now handles conversations, ${share}`],
      ]);
    expect(await logOf(build('b'), queue('a', 'b', 0))).toMatchObject([['warn', expect.any(String)]]);
  });

  it('of another deployment says how to promote that one', async () => {
    const [[, message] = []] = await logOf(build('a', 'other'), queue('a'));
    expect(message).toMatch(/gets no work: parley admin promote a --deployment other$/);
  });
});

describe('a worker without a build', () => {
  it('says nothing as long as there are no builds', async () => {
    expect(await logOf(undefined, queue(), queue())).toEqual([]);
  });

  it('says that it gets no work once there is a current build, and what to do', async () => {
    expect(await logOf(undefined, queue('a'), queue())).toEqual([
      [
        'warn',
        'this worker has no PARLEY_BUILD_ID and gets no work, because build a is current: set PARLEY_BUILD_ID, or parley admin promote --unversioned',
      ],
      ['info', 'this worker now handles conversations'],
    ]);
  });
});

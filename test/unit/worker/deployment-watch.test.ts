import type { TaskQueueState } from '#infra/temporal/task-queue';
import { collectLog } from '#test/support/collect-log';
import { watchDeployment } from '#worker/deployment-watch';

const build = (buildId: string, deploymentName = 'parley') => ({ buildId, deploymentName });
const queue = (current?: string, ramping?: string, percent = 0): TaskQueueState => ({
  pollers: [],
  current: current ? build(current) : undefined,
  ramping: ramping ? build(ramping) : undefined,
  percent,
});

/** What a worker says of itself as Temporal's word changes; an error is Temporal being away. */
async function saidOf(own: ReturnType<typeof build> | undefined, ...looks: (TaskQueueState | Error)[]) {
  const { log, lines } = collectLog();
  await new Promise<void>((resolve) => {
    let looked = 0;
    const look = async () => {
      const found = looks[looked++];
      if (found === undefined) {
        standing.stop();
        resolve();
      }
      if (found === undefined || found instanceof Error) throw found ?? new Error('enough');
      return found;
    };
    const standing = watchDeployment(look, own, log, 1);
  });
  return lines().map(({ level, msg }) => [level === 40 ? 'warn' : 'info', msg]);
}

describe('a worker of a build', () => {
  it('says that it gets no work, once, and again when that changes', async () => {
    const said = await saidOf(build('b'), queue('a'), queue('a'), new Error('away'), queue('b'), queue('c'));
    const idle = ['warn', 'this build is not the current one, and gets no work: npm run promote -- b'];
    expect(said).toEqual([idle, ['info', 'build b takes conversations up'], idle]);
  });

  it('says that it gets a share while it is ramping, and so does the current one', async () => {
    const share = 'for its share of the conversations: 10 % are ramping';
    const ramping = queue('a', 'b', 10);
    for (const own of ['a', 'b'])
      expect(await saidOf(build(own), ramping)).toEqual([['info', `build ${own} takes conversations up, ${share}`]]);
    expect(await saidOf(build('b'), queue('a', 'b', 0))).toMatchObject([['warn', expect.any(String)]]);
  });

  it('of another deployment says how to promote that one', async () => {
    const [[, said] = []] = await saidOf(build('a', 'other'), queue('a'));
    expect(said).toMatch(/gets no work: npm run promote -- a --deployment other$/);
  });
});

describe('a worker without a build', () => {
  it('says nothing as long as there are no builds', async () => {
    expect(await saidOf(undefined, queue(), queue())).toEqual([]);
  });

  it('says that it gets no work once there is a current build, and what to do', async () => {
    expect(await saidOf(undefined, queue('a'), queue())).toEqual([
      [
        'warn',
        'this worker has no PARLEY_BUILD_ID and gets no work, since build a is the current one: set PARLEY_BUILD_ID, or npm run promote -- --unversioned',
      ],
      ['info', 'this worker takes conversations up'],
    ]);
  });
});

import { compileChaosHarness } from '#test/support/chaos/compile-harness';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';

/** On PostgreSQL, as in production. `npm run chaos -- --minutes 30` takes longer. */
const MINUTES = 10;

describe('ten minutes of faults on a Parley under load', () => {
  let running: RunningProcess | undefined;
  afterEach(() => {
    running?.child.kill();
  });

  it(
    'break no promise',
    async () => {
      running = startNodeProcess(compileChaosHarness(), {}, ['--minutes', String(MINUTES), '--patience', '150']);
      const code = await running.exited;
      process.stdout.write(`\n${running.output()}\n`);
      expect(running.output()).toMatch(/All guarantees hold: \d+ answers, none lost, none duplicated/);
      expect(code).toBe(0);
    },
    (MINUTES + 10) * 60_000,
  );

  it.each(['verdicts-dropped', 'handler-throws'])(
    'find the planted bug %s',
    async (plant) => {
      const short = ['--server', 'dev', '--rounds', '1', '--seed', '20', '--gap', '0.5-2'];
      running = startNodeProcess(compileChaosHarness(), {}, [...short, '--plant', plant]);
      expect(await running.exited).toBe(1);
    },
    600_000,
  );
});

import { compileChaosHarness } from '#test/support/chaos/compile-harness';
import { type RunningProcess, startNodeProcess } from '#test/support/child-process';

/** Each fault once, in quick succession. A busy machine may start processes slowly, which is not a violation. */
const SHORT = [
  '--server',
  'dev',
  '--rounds',
  '1',
  '--seed',
  '10',
  '--conversations',
  '8',
  '--gap',
  '0.5-2',
  '--patience',
  '150',
];

describe('faults on a Parley under load', () => {
  let harness: string;
  let running: RunningProcess | undefined;
  beforeAll(() => {
    harness = compileChaosHarness();
  });
  afterEach(() => {
    running?.child.kill();
  });

  it('break no promise', async () => {
    running = startNodeProcess(harness, {}, SHORT);
    const code = await running.exited;
    const output = running.output();
    expect(output).toMatch(/All guarantees hold: \d+ answers, none lost, none duplicated, no false response/);
    expect(code).toBe(0);
    expect(output).toMatch(/restart everything +1 × /);
  });

  it('are rejected if the options make no sense', async () => {
    running = startNodeProcess(harness, {}, ['--minutes', '-1']);
    expect(await running.exited).toBe(2);
    running = startNodeProcess(harness, {}, ['--plant', 'weeds']);
    expect(await running.exited).toBe(2);
    expect(running.output()).toBe('--plant must be one of: verdicts-dropped, handler-throws.\n');
  });
});

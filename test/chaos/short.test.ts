import { type Running, run } from '../helpers/processes';
import { compileHarness } from './compiled';

/** Faults for so long, one after the other, and all of them once or more. */
const SHORT = ['--server', 'dev', '--minutes', '0.4', '--seed', '10', '--conversations', '8', '--gap', '1-2'];
const FAULTS = [
  'kill a worker',
  'stop a worker',
  'kill an API',
  'stop an API',
  'kill Temporal',
  'stop Temporal',
];

describe('faults on a Parley under load', () => {
  let harness: string;
  let running: Running | undefined;
  beforeAll(() => {
    harness = compileHarness();
  });
  afterEach(() => {
    running?.child.kill();
  });

  it('break no promise', async () => {
    running = run(harness, {}, SHORT);
    const code = await running.ended;
    const said = running.said();
    expect(said).toMatch(/Every promise was kept: \d+ answers, none lost, none doubled, no reply untrue/);
    expect(code).toBe(0);
    for (const fault of FAULTS) expect(said).toContain(fault);
  }, 240_000);

  it('are refused where nobody could mean them', async () => {
    running = run(harness, {}, ['--minutes', '-1']);
    expect(await running.ended).toBe(2);
    running = run(harness, {}, ['--plant', 'weeds']);
    expect(await running.ended).toBe(2);
    expect(running.said()).toBe('--plant is one of: verdicts-dropped, handler-throws.\n');
  });
});

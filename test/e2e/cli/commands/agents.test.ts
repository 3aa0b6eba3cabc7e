import { AgentView } from '#contract/agent';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const POLICY = ['questions:', '  timeout: 4h', '  remind: [30m]', '  assignees: [maria, lee]'].join('\n');

let parley: TestParley;
let env: Record<string, string>;
let screen: TerminalScreen | undefined;
beforeAll(async () => {
  parley = await startParley({ startsWorker: false, frontMatter: POLICY });
  env = { PARLEY_URL: parley.url };
});
afterEach(() => {
  screen?.close();
  screen = undefined;
});
afterAll(() => parley.stop());

describe('parley agents', () => {
  it('lists agents, for people and as JSON', async () => {
    screen = runOnScreen(['agents'], { env });
    expect(await screen.waitFor('For a test.')).toMatch(/assistant +For a test\./);
    expect(await screen.waitForExit()).toBe(0);

    const { out } = await runPiped(['agents'], env);
    const [first = '', ...more] = out.trimEnd().split('\n');
    expect(first.split('\t')).toEqual(['assistant', expect.stringContaining('claude'), 'For a test.']);
    expect(more).toHaveLength(1);
    const document = JSON.parse((await runPiped(['agents', '--json'], env)).out);
    expect(document.items.map((item: unknown) => AgentView.parse(item).name).sort()).toEqual(
      ['assistant', parley.agent].sort(),
    );
  });

  it('shows one agent in full', async () => {
    const { code, out } = await runPiped(['agents', parley.agent], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^Questions +timeout 4h, then: continue$/m);
    expect(out).toMatch(/^Reminders +after 30m$/m);
    expect(out).toMatch(/^Answered by +maria, lee$/m);
    const document = await runPiped(['agents', parley.agent, '--json'], env);
    expect(AgentView.parse(JSON.parse(document.out)).questions.timeout).toBe('4h');
  });

  it('names the agents there are if the one asked for does not exist', async () => {
    const { code, out, err } = await runPiped(['agents', 'nobody'], env);
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain(parley.agent);
  });
});

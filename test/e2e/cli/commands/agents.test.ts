import { AgentView } from '#contract/agent';
import { runPiped } from '#test/support/cli/run-cli';
import { runOnScreen, type TerminalScreen } from '#test/support/cli/terminal-screen';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const POLICY = ['questions:', '  timeout: 4h', '  remind: [30m]', '  assignees: [maria, lee]'].join('\n');

let stage: TestParley;
let env: Record<string, string>;
let screen: TerminalScreen | undefined;
beforeAll(async () => {
  stage = await startParley({ worker: false, policy: POLICY });
  env = { PARLEY_URL: stage.url };
});
afterEach(() => {
  screen?.close();
  screen = undefined;
});
afterAll(() => stage.stop());

describe('parley agents', () => {
  it('lists them, to a person and to programs', async () => {
    screen = runOnScreen(['agents'], { env });
    expect(await screen.until('For a test.')).toMatch(/assistant +For a test\./);
    expect(await screen.ended()).toBe(0);

    const { out } = await runPiped(['agents'], env);
    const [first = '', ...more] = out.trimEnd().split('\n');
    expect(first.split('\t')).toEqual(['assistant', expect.stringContaining('claude'), 'For a test.']);
    expect(more).toHaveLength(1);
    const document = JSON.parse((await runPiped(['agents', '--json'], env)).out);
    expect(document.items.map((item: unknown) => AgentView.parse(item).name).sort()).toEqual(
      ['assistant', stage.agent].sort(),
    );
  });

  it('shows one in full', async () => {
    const { code, out } = await runPiped(['agents', stage.agent], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^Asks +waits 4h, then: continue$/m);
    expect(out).toMatch(/^Reminds +after 30m$/m);
    expect(out).toMatch(/^Answered by +maria, lee$/m);
    const document = await runPiped(['agents', stage.agent, '--json'], env);
    expect(AgentView.parse(JSON.parse(document.out)).questions.timeout).toBe('4h');
  });

  it('knows which there are when one is not', async () => {
    const { code, out, err } = await runPiped(['agents', 'nobody'], env);
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain(stage.agent);
  });
});

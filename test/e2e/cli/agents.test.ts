import { AgentView } from '#contract/agent';
import { type Parley, parley } from '#test/support/parley';
import { piped } from '#test/support/piped';
import { onScreen, type Screen } from '#test/support/terminal';

const POLICY = ['questions:', '  timeout: 4h', '  remind: [30m]', '  assignees: [maria, lee]'].join('\n');

let stage: Parley;
let env: Record<string, string>;
let screen: Screen | undefined;
beforeAll(async () => {
  stage = await parley({ worker: false, policy: POLICY });
  env = { PARLEY_URL: stage.url };
});
afterEach(() => {
  screen?.close();
  screen = undefined;
});
afterAll(() => stage.stop());

describe('parley agents', () => {
  it('lists them, to a person and to programs', async () => {
    screen = onScreen(['agents'], { env });
    expect(await screen.until('For a test.')).toMatch(/assistant +For a test\./);
    expect(await screen.ended()).toBe(0);

    const { out } = await piped(['agents'], env);
    const [first = '', ...more] = out.trimEnd().split('\n');
    expect(first.split('\t')).toEqual(['assistant', expect.stringContaining('claude'), 'For a test.']);
    expect(more).toHaveLength(1);
    const document = JSON.parse((await piped(['agents', '--json'], env)).out);
    expect(document.items.map((item: unknown) => AgentView.parse(item).name).sort()).toEqual(
      ['assistant', stage.agent].sort(),
    );
  });

  it('shows one in full', async () => {
    const { code, out } = await piped(['agents', stage.agent], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^Asks +waits 4h, then: continue$/m);
    expect(out).toMatch(/^Reminds +after 30m$/m);
    expect(out).toMatch(/^Answered by +maria, lee$/m);
    const document = await piped(['agents', stage.agent, '--json'], env);
    expect(AgentView.parse(JSON.parse(document.out)).questions.timeout).toBe('4h');
  });

  it('knows which there are when one is not', async () => {
    const { code, out, err } = await piped(['agents', 'nobody'], env);
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain(stage.agent);
  });
});

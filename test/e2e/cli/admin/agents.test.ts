import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { type AgentsFolder, agentFileLines, createAgentsFolder } from '#test/support/agents/agents-folder';
import { runPiped } from '#test/support/cli/run-cli';

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
});
afterEach(() => folder.remove());

const run = (args: string[] = [], env: Record<string, string> = {}) =>
  runPiped(['admin', 'agents', ...args], { PARLEY_AGENTS: folder.path, ...env });

/** A variable reference, written so that it is not a template literal. */
const variableReference = (name: string) => `$${`{${name}}`}`;

function writeTeam(): void {
  folder.write(
    'captain.md',
    ...agentFileLines(
      'captain',
      'tools:',
      '  - write_todos',
      '  - name: delegate',
      '    requiresConfirmation: true',
      '  - name: pay__refund',
      '    requiresConfirmation: true',
      'subagents: [mate, cook]',
      'mcp:',
      `  pay: {url: "https://pay.example.com/mcp", headers: {authorization: "Bearer ${variableReference('PAY_TOKEN')}"}}`,
      '  files: {command: npx, args: [files-server], tools: [read]}',
      'questions:',
      '  timeout: 3d',
      '  remind: [4h, 1d]',
      '  escalate: [{after: 2d, to: maria}]',
      'trigger: {message: "{{ . }}", secret: PARLEY_HOOK_CAPTAIN}',
    ),
  );
  folder.write(
    'mate.md',
    ...agentFileLines(
      'mate',
      'subagents: [cook]',
      'questions: {onTimeout: wait, assignees: [joe, "*"], notify: [log]}',
    ),
  );
  folder.write('cook.md', ...agentFileLines('cook', 'canAsk: false', 'tools: []', 'subagents: [captain]'));
}

describe('parley admin agents', () => {
  it('lists what each agent is, may use and does, for people', async () => {
    writeTeam();
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('3 valid agents in');
    expect(out).toMatch(/^captain\nDoes things\.\n\nModel +claude-sonnet-5-5,/m);
    expect(out).toMatch(/^Tools +ask_user_question, confirm_action, write_todos, delegate$/m);
    expect(out).toMatch(/^Needs approval +delegate, pay__refund$/m);
    expect(out).toMatch(/^Delegates to +mate, cook$/m);
    expect(out).toMatch(/^MCP servers +pay, files$/m);
    expect(out).toMatch(/^Questions +timeout 3d, then: continue$/m);
    expect(out).toMatch(/^Webhook +\/v1\/hooks\/captain \(signed\)$/m);
    expect(out).toMatch(/^cook\n(.*\n)+?Questions +never asks\n/m);
  });

  it('warns about variables that are not set, without failing', async () => {
    writeTeam();
    const { code, err } = await run();
    expect(code).toBe(0);
    expect(err).toContain('captain: PAY_TOKEN is not set (MCP server pay)');
    expect(err).toContain('captain: PARLEY_HOOK_CAPTAIN is not set (webhook secret)');
    expect((await run([], { PAY_TOKEN: 'x', PARLEY_HOOK_CAPTAIN: 'y' })).err).toBe('');
  });

  it('prints the same as JSON, as the API does', async () => {
    writeTeam();
    const { code, out } = await run(['--json'], { PARLEY_PUBLIC_URL: 'https://parley.example.com' });
    expect(code).toBe(0);
    const { items, warnings, faults } = JSON.parse(out);
    expect(faults).toEqual([]);
    expect(
      z
        .array(AgentView)
        .parse(items)
        .map(({ name }) => name),
    ).toEqual(['captain', 'cook', 'mate']);
    expect(items[0]).toMatchObject({
      tools: ['ask_user_question', 'confirm_action', 'write_todos', 'delegate'],
      requiresConfirmation: ['delegate', 'pay__refund'],
      trigger: { url: 'https://parley.example.com/v1/hooks/captain', signed: true },
    });
    expect(warnings).toHaveLength(2);
  });

  it('reports every error of every file and exits with 1', async () => {
    folder.write('a.md', ...agentFileLines('a', 'maxTokens: 0', 'tools: [nonsense]'));
    folder.write('b.md', 'No front matter.');
    const { code, out, err } = await run();
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('  a.md:4: maxTokens: must be from 1 to 1,000,000\n');
    expect(err).toContain('  a.md:5: tools.0: unknown tool nonsense; allowed: ');
    expect(err).toContain('  b.md:1: must start with front matter');
    expect(err).not.toMatch(/at .+:\d+:\d+/);
  });

  it('reports every error as JSON, too', async () => {
    folder.write('a.md', ...agentFileLines('a', 'maxTokens: 0'));
    folder.write('b.md', 'No front matter.');
    const { code, out, err } = await run(['--json']);
    expect([code, err]).toEqual([1, '']);
    expect(JSON.parse(out)).toEqual({
      items: [],
      warnings: [],
      faults: [
        { file: 'a.md', line: 4, path: 'maxTokens', message: 'must be from 1 to 1,000,000' },
        { file: 'b.md', line: 1, path: '', message: expect.stringContaining('must start with front matter') },
      ],
    });
  });

  it('reports a missing folder as JSON, too', async () => {
    const { code, out } = await run(['--json'], { PARLEY_AGENTS: '/no/such/folder' });
    expect([code, JSON.parse(out).faults]).toEqual([
      1,
      [{ file: '/no/such/folder', line: null, path: '', message: expect.stringContaining('PARLEY_AGENTS') }],
    ]);
  });

  it('exits with 1 if there is nothing to check, or the environment is invalid', async () => {
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('No agents in') });
    expect(await run([], { PORT: 'x' })).toMatchObject({ code: 1, err: expect.stringContaining('PORT') });
  });

  it('shows its usage and exits with 2 on wrong usage', async () => {
    expect(await run(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--json') });
    const { code, err } = await run(['--colour']);
    expect([code, err]).toEqual([2, expect.stringContaining('See parley admin agents --help.')]);
  });
});

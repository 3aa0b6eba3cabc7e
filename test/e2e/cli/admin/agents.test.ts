import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { z } from 'zod';
import { AgentView } from '#contract/agent';
import { type AgentsFolder, agentFileLines, createAgentsFolder } from '#test/support/agents/agents-folder';

const FILE = path.join(__dirname, '../../../../dist/src/cli/admin/agents.js');

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
});
afterEach(() => folder.remove());

function run(args: string[] = [], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FILE, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, PARLEY_AGENTS: folder.path, ...env },
  });
  return { code: status, stdout, stderr };
}

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

describe('npm run agents', () => {
  it('lists what each agent is, may use and does, for people', () => {
    writeTeam();
    const { code, stdout } = run();
    expect(code).toBe(0);
    expect(stdout).toContain('3 agents in');
    expect(stdout).toContain(`
  captain
    Does things.
    model       claude-sonnet-5-5
    tools       ask_user_question, confirm_action, write_todos, delegate (asks first), pay__refund
                (asks first)
    sub-agents  ├ mate
                │ └ cook
                │   └ captain (and so on)
                └ cook
                  └ captain (and so on)
    MCP         pay: https://pay.example.com/mcp
                files: npx files-server (only read)
    asks        waits 3d, then goes on without an answer; reminds after 4h and 1d; after 2d also
                asks maria
    webhook     POST /v1/hooks/captain, signed by PARLEY_HOOK_CAPTAIN
`);
    expect(stdout).toMatch(/ {2}cook\n(.*\n)+? {4}tools +delegate\n(.*\n)+? {4}asks +nobody\n/);
    expect(stdout).toMatch(
      / {2}mate\n(.*\n)+? {4}asks +joe and everybody may answer, too; waits for ever; tells of it by log\n/,
    );
  });

  it('warns of variables that are not set, and does not fail for it', () => {
    writeTeam();
    const { code, stderr } = run();
    expect(code).toBe(0);
    expect(stderr).toContain('captain: PAY_TOKEN is not set here, for the MCP server pay');
    expect(stderr).toContain('captain: PARLEY_HOOK_CAPTAIN is not set here, for its webhook');
    expect(run([], { PAY_TOKEN: 'x', PARLEY_HOOK_CAPTAIN: 'y' }).stderr).toBe('');
  });

  it('says the same to programs, as the API would', () => {
    writeTeam();
    const { code, stdout } = run(['--json'], { PARLEY_PUBLIC_URL: 'https://parley.example.com' });
    expect(code).toBe(0);
    const { items, warnings, faults } = JSON.parse(stdout);
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

  it('names every fault of every file, and ends with 1', () => {
    folder.write('a.md', ...agentFileLines('a', 'maxTokens: 0', 'tools: [nonsense]'));
    folder.write('b.md', 'No front matter.');
    const { code, stdout, stderr } = run();
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('  a.md:4: maxTokens: must be from 1 to 1,000,000\n');
    expect(stderr).toContain('  a.md:5: tools.0: there is no tool nonsense; the tools are: ');
    expect(stderr).toContain('  b.md:1: begin with front matter');
    expect(stderr).not.toMatch(/at .+:\d+:\d+/);
  });

  it('names every fault to programs, too', () => {
    folder.write('a.md', ...agentFileLines('a', 'maxTokens: 0'));
    folder.write('b.md', 'No front matter.');
    const { code, stdout, stderr } = run(['--json']);
    expect([code, stderr]).toEqual([1, '']);
    expect(JSON.parse(stdout)).toEqual({
      items: [],
      warnings: [],
      faults: [
        { file: 'a.md', line: 4, path: 'maxTokens', message: 'must be from 1 to 1,000,000' },
        { file: 'b.md', line: 1, path: '', message: expect.stringContaining('begin with front matter') },
      ],
    });
  });

  it('names a folder that is not there to programs, too', () => {
    const { code, stdout } = run(['--json'], { PARLEY_AGENTS: '/no/such/folder' });
    expect([code, JSON.parse(stdout).faults]).toEqual([
      1,
      [{ file: '/no/such/folder', line: null, path: '', message: expect.stringContaining('PARLEY_AGENTS') }],
    ]);
  });

  it('ends with 1 where there is nothing to check, and where the environment is at fault', () => {
    expect(run()).toMatchObject({ code: 1, stderr: expect.stringContaining('There are no agents in') });
    expect(run([], { PORT: 'x' })).toMatchObject({ code: 1, stderr: expect.stringContaining('PORT') });
  });

  it('says how it is used, and ends with 2 where it is used otherwise', () => {
    expect(run(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('--json') });
    const { code, stderr } = run(['--colour']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('npm run agents -- --json')]);
  });
});

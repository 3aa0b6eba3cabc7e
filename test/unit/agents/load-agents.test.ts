import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { type AgentsFolder, agentFileLines, createAgentsFolder, knownTools } from '#test/support/agents/agents-folder';

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
});
afterEach(() => folder.remove());

const write = (file: string, ...lines: string[]) => folder.write(file, ...lines);
const read = () => loadAgents(folder.path, knownTools);
const good = (name: string) => agentFileLines(name);

/** The lines that say what is wrong. */
function faults(): string[] {
  const found = folder.faults();
  if (found.length === 0) throw new Error('no fault was found');
  return found;
}

describe('a good file', () => {
  it('is an agent, with what it leaves out', () => {
    write('clerk.md', ...good('clerk'));
    expect(read().get('clerk')).toMatchObject({
      name: 'clerk',
      description: 'Does things.',
      model: expect.stringContaining('claude'),
      tools: [{ name: 'write_todos' }],
      subagents: [],
      mcp: {},
      canAsk: true,
      questions: { timeout: 86_400_000, onTimeout: 'continue', remind: [], escalate: [], perTurn: 25 },
      prompt: 'Do things.',
    });
  });

  it('says how its agent asks, and its prompt is all that follows', () => {
    write(
      'clerk.md',
      '---',
      'name: clerk',
      'description: >-',
      '  Does things',
      '  well.',
      'model: some-model',
      'maxTokens: 100',
      'questions:',
      '  timeout: 3d',
      '  onTimeout: wait',
      '  remind: [4h, 1d]',
      '  escalate: [{after: 2d, to: joe}, {after: 60h, to: [ops, "*"], notify: [log]}]',
      '  notify: [log]',
      '  maxOptions: 9',
      '  assignees: [maria]',
      'tools:',
      '  - write_todos',
      '  - name: http_request',
      '    requiresConfirmation: true',
      '    hosts: [example.com]',
      '  - files__read',
      'mcp:',
      '  files: {command: npx, args: [some-server], env: {KEY: SOME}, tools: [read]}',
      '  far: {url: "https://example.com/mcp", timeout: 90s}',
      'callbackUrl: https://example.com/told',
      'visibleTo: [ops, "*"]',
      'trigger:',
      '  message: Look into {{ it }}',
      '  secret: PARLEY_HOOK_CLERK',
      '---',
      '',
      '# Prompt',
      '',
      '---',
      'Do *things*: {{always}}',
    );
    expect(read().get('clerk')).toEqual({
      name: 'clerk',
      description: 'Does things well.',
      model: 'some-model',
      maxTokens: 100,
      questions: {
        timeout: 3 * 86_400_000,
        onTimeout: 'wait',
        remind: [4 * 3_600_000, 86_400_000],
        escalate: [
          { after: 2 * 86_400_000, to: ['joe'] },
          { after: 60 * 3_600_000, to: ['ops', '*'], notify: ['log'] },
        ],
        notify: ['log'],
        perTurn: 25,
        perConversation: 100,
        maxQuestions: 4,
        maxOptions: 9,
        assignees: ['maria'],
      },
      tools: [
        { name: 'write_todos' },
        { name: 'http_request', requiresConfirmation: true, hosts: ['example.com'] },
        { name: 'files__read' },
      ],
      subagents: [],
      mcp: {
        files: {
          command: 'npx',
          args: ['some-server'],
          env: { KEY: 'SOME' },
          tools: ['read'],
          timeout: 60_000,
        },
        far: { url: 'https://example.com/mcp', headers: {}, timeout: 90_000 },
      },
      canAsk: true,
      callbackUrl: 'https://example.com/told',
      visibleTo: ['ops', '*'],
      trigger: { message: 'Look into {{ it }}', secret: 'PARLEY_HOOK_CLERK' },
      prompt: '# Prompt\n\n---\nDo *things*: {{always}}',
    });
  });

  it('may begin with a byte order mark', () => {
    write('clerk.md', `\uFEFF${good('clerk').join('\n')}`);
    expect(read().has('clerk')).toBe(true);
  });

  it('may be written on Windows', () => {
    writeFileSync(path.join(folder.path, 'clerk.md'), good('clerk').join('\r\n'));
    expect(read().get('clerk')).toMatchObject({ prompt: 'Do things.' });
  });

  it('is one of several, beside files that are no agents', () => {
    write('b.md', ...good('bob'));
    write('a.md', ...good('ada'));
    write('notes.txt', 'Not an agent.');
    expect([...read().keys()]).toEqual(['ada', 'bob']);
  });
});

describe('a fault', () => {
  const withLines = (...lines: string[]) => ['---', ...lines, '---', 'Do things.'];
  const named = ['name: clerk', 'description: Does things.'];

  it.each([
    ['no front matter', ['Do things.'], 1, /front matter/],
    ['front matter that never ends', ['---', 'name: clerk', 'Do things.'], 1, /front matter/],
    ['an empty file', [''], 1, /front matter/],
    ['front matter that is no YAML', withLines('name: clerk', 'description: "Does'), 3, /./],
    ['a key written twice', withLines(...named, 'name: other'), 4, /unique/],
    ['a name that is none', withLines('description: Does.', 'name: The Clerk'), 3, /name: .*lower-case/],
    ['a name that is a number', withLines('description: Does.', 'name: 5'), 3, /name: /],
    ['an empty description', withLines('name: clerk', 'description: ""'), 3, /description: /],
    ['tokens that are too few', withLines(...named, 'maxTokens: 0'), 4, /maxTokens: /],
    ['a timeout nobody can read', withLines(...named, 'questions:', '  timeout: soon'), 5, /questions\.timeout: .*90s/],
    ['a policy there is not', withLines(...named, 'questions:', '  onTimeout: panic'), 5, /questions\.onTimeout: /],
    ['a limit out of bounds', withLines(...named, 'questions:', '  perTurn: 5', '  maxOptions: 51'), 6, /maxOptions: /],
    ['a trigger that says nothing', withLines(...named, 'trigger: {message: " "}'), 4, /trigger.message: .*path/],
    [
      'a secret where its variable should be named',
      withLines(...named, 'trigger:', '  message: Go', '  secret: whsec_c2VjcmV0'),
      6,
      /trigger.secret: .*environment variable/,
    ],
    [
      'more people than can be indexed',
      withLines(...named, `visibleTo: [${Array.from({ length: 50 }, (_, n) => `${'x'.repeat(50)}${n}`).join(', ')}]`),
      4,
      /visibleTo: .*1,800 bytes/,
    ],
    ['a list of people that is none', withLines(...named, 'visibleTo: maria'), 4, /visibleTo: /],
    ['an unknown key', withLines(...named, 'colour: red'), 4, /colour/],
    ['an unknown key further in', withLines(...named, 'questions:', '  perTurn: 5', '  colour: red'), 6, /colour/],
    ['a reference to nothing', withLines(...named, 'model: *nothing'), 4, /nothing/],
  ])('is named with file and line: %s', (_what, lines, line, said) => {
    write('clerk.md', ...lines);
    const [fault, ...more] = faults();
    expect(fault).toMatch(new RegExp(`^clerk\\.md:${line}: `));
    expect(fault).toMatch(said);
    expect(more).toEqual([]);
  });

  it.each([
    ['a key that is missing', ['name: clerk'], /description: /],
    ['a list for front matter', ['- name'], /front matter/],
    ['text for front matter', ['name'], /front matter/],
    ['nothing in the front matter', ['# nothing'], /name: /],
  ])('that has no line of its own is named with a line of its file: %s', (_what, lines, said) => {
    write('clerk.md', ...withLines(...lines));
    for (const fault of faults()) expect(fault).toMatch(/^clerk\.md:\d+: /);
    expect(faults().join('\n')).toMatch(said);
  });

  it('of a missing prompt is named with file and line', () => {
    for (const rest of [[], [''], ['  ', '']]) {
      write('clerk.md', '---', ...named, '---', ...rest);
      expect(faults()).toEqual([expect.stringMatching(/^clerk\.md:\d+: .*prompt/)]);
    }
  });

  it('of two agents with one name is named with file and line', () => {
    write('a.md', ...good('clerk'));
    write('b.md', ...good('clerk'));
    expect(faults()).toEqual([expect.stringMatching(/^b\.md:\d+: .*clerk/)]);
  });

  it('does not hide the others, in that file or the next', () => {
    write('a.md', '---', 'name: A', 'description: ""', 'maxTokens: -1', '---');
    write('b.md', 'No front matter.');
    write('c.md', ...good('fine'));
    const all = faults();
    expect(all).toHaveLength(5);
    for (const said of [/^a\.md:2: name/, /^a\.md:3: description/, /^a\.md:4: maxTokens/, /^a\.md.*prompt/, /^b\.md:1/])
      expect(all).toContainEqual(expect.stringMatching(said));
  });
});

it('says what to do where there is no folder, or nothing in it', () => {
  const missing = path.join(folder.path, 'nowhere');
  expect(() => loadAgents(missing, knownTools)).toThrow(InvalidAgentsError);
  expect(() => loadAgents(missing, knownTools)).toThrow(`PARLEY_AGENTS is ${missing}, which is not there.`);
  write('file', 'x');
  expect(() => loadAgents(path.join(folder.path, 'file'), knownTools)).toThrow(/PARLEY_AGENTS.*is no folder/);
  expect(() => read()).toThrow(InvalidAgentsError);
  expect(() => read()).toThrow(/no agents.*PARLEY_AGENTS/);
});

it('says so where something that is no file is named like an agent', () => {
  mkdirSync(path.join(folder.path, 'clerk.md'));
  write('other.md', 'No front matter.');
  expect(faults()).toEqual([
    expect.stringMatching(/^clerk\.md:1: cannot be read: it is a folder$/),
    expect.stringMatching(/^other\.md:1: /),
  ]);
});

it.each<[string, string[], string]>([
  ['is never closed', ['---', 'name: a', 'Prompt.'], 'the front matter that begins at line 1 is never closed'],
  ['comes after a blank line', ['', ...agentFileLines('a')], '--- must be the very first line, exactly three'],
  ['begins with four hyphens', ['----', 'name: a', '---'], '--- must be the very first line, exactly three'],
  ['is not there', ['Prompt.'], 'begin with front matter: name and description'],
])('says so where the front matter %s', (_what, lines, sentence) => {
  write('clerk.md', ...lines);
  expect(faults()).toEqual([expect.stringContaining(`clerk.md:1: ${sentence}`)]);
});

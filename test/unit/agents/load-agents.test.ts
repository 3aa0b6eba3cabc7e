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
const loadFolder = () => loadAgents(folder.path, knownTools);
const validLines = (name: string) => agentFileLines(name);

/** The error lines. */
function listIssues(): string[] {
  const issues = folder.errors();
  if (issues.length === 0) throw new Error('no fault was found');
  return issues;
}

describe('a valid file', () => {
  it('is an agent, with defaults for what it omits', () => {
    write('clerk.md', ...validLines('clerk'));
    expect(loadFolder().get('clerk')).toMatchObject({
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

  it('says how its agent asks, and its prompt is the rest', () => {
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
    expect(loadFolder().get('clerk')).toEqual({
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
    write('clerk.md', `\uFEFF${validLines('clerk').join('\n')}`);
    expect(loadFolder().has('clerk')).toBe(true);
  });

  it('may have Windows line endings', () => {
    writeFileSync(path.join(folder.path, 'clerk.md'), validLines('clerk').join('\r\n'));
    expect(loadFolder().get('clerk')).toMatchObject({ prompt: 'Do things.' });
  });

  it('may be one of several, beside other files', () => {
    write('b.md', ...validLines('bob'));
    write('a.md', ...validLines('ada'));
    write('notes.txt', 'Not an agent.');
    expect([...loadFolder().keys()]).toEqual(['ada', 'bob']);
  });
});

describe('an error', () => {
  const frontMatterLines = (...lines: string[]) => ['---', ...lines, '---', 'Do things.'];
  const requiredFields = ['name: clerk', 'description: Does things.'];

  it.each([
    ['no front matter', ['Do things.'], 1, /front matter/],
    ['unclosed front matter', ['---', 'name: clerk', 'Do things.'], 1, /front matter/],
    ['an empty file', [''], 1, /front matter/],
    ['front matter that is not YAML', frontMatterLines('name: clerk', 'description: "Does'), 3, /./],
    ['a key written twice', frontMatterLines(...requiredFields, 'name: other'), 4, /duplicate/],
    ['an invalid name', frontMatterLines('description: Does.', 'name: The Clerk'), 3, /name: .*lowercase/],
    ['a name that is a number', frontMatterLines('description: Does.', 'name: 5'), 3, /name: /],
    ['an empty description', frontMatterLines('name: clerk', 'description: ""'), 3, /description: /],
    ['too few tokens', frontMatterLines(...requiredFields, 'maxTokens: 0'), 4, /maxTokens: /],
    [
      'an invalid timeout',
      frontMatterLines(...requiredFields, 'questions:', '  timeout: soon'),
      5,
      /questions\.timeout: .*90s/,
    ],
    [
      'an unknown policy',
      frontMatterLines(...requiredFields, 'questions:', '  onTimeout: panic'),
      5,
      /questions\.onTimeout: /,
    ],
    [
      'a limit out of bounds',
      frontMatterLines(...requiredFields, 'questions:', '  perTurn: 5', '  maxOptions: 51'),
      6,
      /maxOptions: /,
    ],
    ['an empty trigger', frontMatterLines(...requiredFields, 'trigger: {message: " "}'), 4, /trigger.message: .*path/],
    [
      'a secret in place of its variable',
      frontMatterLines(...requiredFields, 'trigger:', '  message: Go', '  secret: whsec_c2VjcmV0'),
      6,
      /trigger.secret: .*environment variable/,
    ],
    [
      'more people than can be indexed',
      frontMatterLines(
        ...requiredFields,
        `visibleTo: [${Array.from({ length: 50 }, (_, n) => `${'x'.repeat(50)}${n}`).join(', ')}]`,
      ),
      4,
      /visibleTo: .*1,800 bytes/,
    ],
    ['an invalid list of people', frontMatterLines(...requiredFields, 'visibleTo: maria'), 4, /visibleTo: /],
    ['an unknown key', frontMatterLines(...requiredFields, 'colour: red'), 4, /colour/],
    [
      'an unknown nested key',
      frontMatterLines(...requiredFields, 'questions:', '  perTurn: 5', '  colour: red'),
      6,
      /colour/,
    ],
    ['an undefined alias', frontMatterLines(...requiredFields, 'model: *nothing'), 4, /nothing/],
  ])('names file and line: %s', (_case, lines, line, expectedMessage) => {
    write('clerk.md', ...lines);
    const [issue, ...otherIssues] = listIssues();
    expect(issue).toMatch(new RegExp(`^clerk\\.md:${line}: `));
    expect(issue).toMatch(expectedMessage);
    expect(otherIssues).toEqual([]);
  });

  it.each([
    ['a missing key', ['name: clerk'], /description: /],
    ['a list for front matter', ['- name'], /front matter/],
    ['text for front matter', ['name'], /front matter/],
    ['empty front matter', ['# nothing'], /name: /],
  ])('without a line of its own names a line of its file: %s', (_case, lines, expectedMessage) => {
    write('clerk.md', ...frontMatterLines(...lines));
    for (const issue of listIssues()) expect(issue).toMatch(/^clerk\.md:\d+: /);
    expect(listIssues().join('\n')).toMatch(expectedMessage);
  });

  it('about a missing prompt names file and line', () => {
    for (const body of [[], [''], ['  ', '']]) {
      write('clerk.md', '---', ...requiredFields, '---', ...body);
      expect(listIssues()).toEqual([expect.stringMatching(/^clerk\.md:\d+: .*prompt/)]);
    }
  });

  it('about two agents with one name names file and line', () => {
    write('a.md', ...validLines('clerk'));
    write('b.md', ...validLines('clerk'));
    expect(listIssues()).toEqual([expect.stringMatching(/^b\.md:\d+: .*clerk/)]);
  });

  it('does not hide others, in that file or the next', () => {
    write('a.md', '---', 'name: A', 'description: ""', 'maxTokens: -1', '---');
    write('b.md', 'No front matter.');
    write('c.md', ...validLines('fine'));
    const issues = listIssues();
    expect(issues).toHaveLength(5);
    for (const expectedMessage of [
      /^a\.md:2: name/,
      /^a\.md:3: description/,
      /^a\.md:4: maxTokens/,
      /^a\.md.*prompt/,
      /^b\.md:1/,
    ])
      expect(issues).toContainEqual(expect.stringMatching(expectedMessage));
  });
});

it('says what to do if the folder is missing or empty', () => {
  const missing = path.join(folder.path, 'nowhere');
  expect(() => loadAgents(missing, knownTools)).toThrow(InvalidAgentsError);
  expect(() => loadAgents(missing, knownTools)).toThrow(
    `the agents folder ${missing}: does not exist. Check PARLEY_AGENTS.`,
  );
  write('file', 'x');
  expect(() => loadAgents(path.join(folder.path, 'file'), knownTools)).toThrow(/is not a folder\. Check PARLEY_AGENTS/);
  expect(() => loadFolder()).toThrow(InvalidAgentsError);
  expect(() => loadFolder()).toThrow(/No agents.*PARLEY_AGENTS/);
});

it('reports a folder that is named like an agent', () => {
  mkdirSync(path.join(folder.path, 'clerk.md'));
  write('other.md', 'No front matter.');
  expect(listIssues()).toEqual([
    expect.stringMatching(/^clerk\.md:1: can't be read: it is a folder$/),
    expect.stringMatching(/^other\.md:1: /),
  ]);
});

it.each<[string, string[], string]>([
  ['is never closed', ['---', 'name: a', 'Prompt.'], 'the front matter that starts at line 1 is not closed'],
  ['comes after a blank line', ['', ...agentFileLines('a')], 'the first line must be exactly ---'],
  ['begins with four hyphens', ['----', 'name: a', '---'], 'the first line must be exactly ---'],
  ['is missing', ['Prompt.'], 'must start with front matter: name and description'],
])('reports front matter that %s', (_case, lines, message) => {
  write('clerk.md', ...lines);
  expect(listIssues()).toEqual([expect.stringContaining(`clerk.md:1: ${message}`)]);
});

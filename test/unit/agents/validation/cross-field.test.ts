import { type AgentsFolder, agentFileLines, createAgentsFolder } from '#test/support/agents/agents-folder';

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
  folder.write('other.md', ...agentFileLines('other'));
});
afterEach(() => folder.remove());

function issuesOf(...lines: string[]): string[] {
  folder.write('clerk.md', ...agentFileLines('clerk', ...lines));
  return folder.errors().map((issue) => issue.replace('clerk.md:', ''));
}

const THE_TOOLS = 'allowed: ask_user_question, confirm_action, write_todos, delegate, http_request';
const FILES = ['mcp:', '  files: {command: npx, tools: [read, write]}', '  web: {url: https://example.com}'];

describe('the tools of an agent', () => {
  it.each<[string, string[]]>([
    ['none', ['tools: []']],
    ['the asking tools, which are always there', ['tools: [ask_user_question, confirm_action]']],
    ['delegate, with sub-agents', ['tools: [delegate]', 'subagents: [other]']],
    ['delegate with confirmation', ['tools: [{name: delegate, requiresConfirmation: true}]', 'subagents: [other]']],
    ['those of its servers', [...FILES, 'tools: [files__read, web__any__thing]']],
    ["a server's tool with confirmation", [...FILES, 'tools: [{name: web__pay, requiresConfirmation: true}]']],
    ['one with settings', ['tools: [{name: http_request, hosts: [example.com]}]']],
    ['one without confirmation', ['canAsk: false', 'tools: [{name: write_todos, requiresConfirmation: false}]']],
  ])('may be %s', (_case, lines) => {
    expect(issuesOf(...lines)).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    [
      'an unknown tool',
      ['tools:', '  - write_todos', '  - write_todo'],
      [`6: tools.1: unknown tool write_todo; ${THE_TOOLS}, server__tool from \`mcp\`; did you mean \`write_todos\`?`],
    ],
    [
      'a tool of an unknown server',
      ['tools: [files__read]'],
      ['4: tools.0: unknown server files in `mcp`; there are no servers'],
    ],
    [
      'a tool of a misspelled server',
      [...FILES, 'tools: [file__read]'],
      ['7: tools.0: unknown server file in `mcp`; servers: files, web; did you mean `files`?'],
    ],
    [
      'a tool that its server may not offer',
      [...FILES, 'tools: [files__delete]'],
      ['7: tools.0: not in mcp.files.tools; allowed: files__read, files__write'],
    ],
    [
      'a server without its tool',
      [...FILES, 'tools: [files__]'],
      ['7: tools.0: add the tool name, such as files__search'],
    ],
    ['a tool listed twice', ['tools: [write_todos, {name: write_todos}]'], ['4: tools.1: write_todos is listed twice']],
    [
      'settings for a tool without settings',
      ['tools:', '  - name: write_todos', '    hosts: [a]'],
      ['6: tools.0.hosts: unknown field; allowed: name, requiresConfirmation'],
    ],
    [
      'settings for a server’s tool',
      [...FILES, 'tools: [{name: web__pay, requireConfirmation: true}]'],
      [
        '7: tools.0.requireConfirmation: unknown field; allowed: name, requiresConfirmation; did you mean `requiresConfirmation`?',
      ],
    ],
    [
      'unknown settings',
      ['tools:', '  - name: http_request', '    hosts: [a]', '    requireConfirmation: true', '    headers: {a: 5}'],
      [
        '7: tools.0.requireConfirmation: unknown field; allowed: name, requiresConfirmation, hosts, headers; did you mean `requiresConfirmation`?',
        '8: tools.0.headers.a: must be headers by host, as in headers: {api.example.com: {authorization: …}}',
      ],
    ],
    [
      'missing settings',
      ['tools: [http_request]'],
      ['4: tools.0.hosts: is missing: the hosts it may call, as in hosts: [api.example.com]'],
    ],
    [
      'a name in the wrong place',
      ['tools:', '  - http_request: {hosts: [a]}'],
      [
        '5: tools.0.name: is missing',
        '5: tools.0.http_request: write `- name: http_request`, with its settings as fields below it',
      ],
    ],
    [
      'confirmation of an asking tool',
      ['tools:', '  - name: confirm_action', '    requiresConfirmation: true'],
      ['6: tools.0.requiresConfirmation: confirm_action always asks a person; remove this'],
    ],
    [
      'confirmation without a person to ask',
      ['canAsk: false', 'tools:', '  - name: write_todos', '    requiresConfirmation: true'],
      ['7: tools.0.requiresConfirmation: approval requires canAsk: true; remove one of the two'],
    ],
    [
      'an asking tool that is not allowed',
      ['canAsk: false', 'tools: [ask_user_question]'],
      ['5: tools.0: ask_user_question requires canAsk: true; remove one of the two'],
    ],
    [
      'delegate without sub-agents',
      ['tools: [delegate]'],
      ['4: tools.0: requires sub-agents; list them in `subagents`'],
    ],
  ])('may not be %s', (_case, lines, messages) => {
    expect(issuesOf(...lines)).toEqual(messages);
  });

  it('may have an unusual name, as the model sees it', () => {
    const server = ['mcp:', '  gh:', '    url: https://gh.example', '    tools: [delete.repo]'];
    expect(issuesOf(...server, 'tools: [{ name: gh__delete_repo, requiresConfirmation: true }]')).toEqual([]);
  });
});

describe('reminders and escalation', () => {
  const neverComesMessage = (timeout: string) =>
    `is never sent: the question times out after ${timeout}; use less, or increase questions.timeout`;

  it.each<[string, string[]]>([
    ['before the deadline', ['timeout: 3d', 'remind: [4h, 1d]', 'escalate: [{after: 2d, to: joe}]']],
    ['without a timeout', ['timeout: never', 'remind: [1d, 30d]', 'escalate: [{after: 60d, to: joe}]']],
    ['if the question stays open', ['onTimeout: wait', 'remind: [2d]', 'escalate: [{after: 3d, to: joe}]']],
  ])('may come %s', (_case, lines) => {
    expect(issuesOf('questions:', ...lines.map((line) => `  ${line}`))).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    ['after the default deadline', ['remind: [1h, 1d]'], [`5: questions.remind.1: ${neverComesMessage('1d')}`]],
    [
      "after the agent's deadline",
      ['timeout: 4h', 'remind: [5h]'],
      [`6: questions.remind.0: ${neverComesMessage('4h')}`],
    ],
    [
      'to others after the deadline',
      ['timeout: 2d', 'escalate:', '  - to: joe', '    after: 2d'],
      [`8: questions.escalate.0.after: ${neverComesMessage('2d')}`],
    ],
    [
      'out of order',
      ['timeout: 3d', 'remind: [1d, 4h]'],
      ['6: questions.remind.1: must be later than 1d; list reminders in order, such as [4h, 1d]'],
    ],
    [
      'twice',
      ['timeout: 3d', 'remind: [60m, 1h]'],
      ['6: questions.remind.1: is listed twice; each reminder is sent once'],
    ],
  ])('may not come %s', (_case, lines, messages) => {
    expect(issuesOf('questions:', ...lines.map((line) => `  ${line}`))).toEqual(messages);
  });
});

describe('agents that delegate', () => {
  it.each<[string, string[], string[]]>([
    [
      'an unknown agent',
      ['subagents: [othr]'],
      ['4: subagents.0: unknown agent othr; other agents: other; did you mean `other`?'],
    ],
    [
      'itself',
      ['subagents:', '  - other', '  - clerk'],
      ['6: subagents.1: an agent cannot delegate to itself; other agents: other'],
    ],
    ['one agent twice', ['subagents: [other, other]'], ['4: subagents.1: other is listed twice']],
  ])('may not name as a sub-agent %s', (_case, lines, messages) => {
    expect(issuesOf(...lines)).toEqual(messages);
  });

  it('may delegate to each other', () => {
    folder.write('other.md', ...agentFileLines('other', 'subagents: [clerk]'));
    expect(issuesOf('subagents: [other]')).toEqual([]);
  });

  it('are not reported as unknown if their own file has errors', () => {
    folder.write('other.md', ...agentFileLines('other', 'model: "x'));
    expect(issuesOf('subagents: [other]')).toEqual([expect.stringMatching(/^other\.md:/)]);
    folder.write('other.md', ...agentFileLines('another', 'maxTokens: 0'));
    expect(issuesOf('subagents: [another]')).toEqual([expect.stringMatching(/^other\.md:/)]);
  });

  it('have unique names', () => {
    folder.write('third.md', ...agentFileLines('other'));
    expect(folder.errors()).toEqual(['third.md:2: name: another agent is named other, in other.md']);
  });

  it('have prompts of 100 KB at most', () => {
    const maxBytes = 100 * 1024;
    folder.write('other.md', '---', 'name: other', 'description: d', '---', '', 'é'.repeat(maxBytes / 2));
    expect(folder.errors()).toEqual([]);
    folder.write('other.md', '---', 'name: other', 'description: d', '---', '', `${'é'.repeat(maxBytes / 2)}!`);
    expect(folder.errors()).toEqual(['other.md:6: prompt: must be at most 100 KB, but has 101 KB']);
  });

  it('are 400 KB at most with all agents they can reach', () => {
    const prompt = 'x'.repeat(99 * 1024);
    const write = (name: string, ...subagents: string[]) =>
      folder.write(`${name}.md`, '---', `name: ${name}`, 'description: d', `subagents: [${subagents}]`, '---', prompt);
    write('d');
    write('c', 'd');
    write('b', 'c');
    write('a', 'b');
    expect(folder.errors()).toEqual([]);
    write('d', 'e');
    write('e');
    expect(folder.errors()).toEqual([
      expect.stringMatching(/^a\.md:4: subagents: the agent and its .* 400 KB in total, but have 49\d KB/),
    ]);
  });
});

it('all errors are reported at once: in fields, between fields, between files', () => {
  folder.write('other.md', 'No front matter.');
  const people = Array.from({ length: 40 }, (_, n) => `${'x'.repeat(60)}${n}`);
  expect(
    issuesOf(
      'maxTokens: 0',
      'canAsk: maybe',
      'tools: [nonsense, 5, {name: http_request, hosts: 5}]',
      'subagents: [nobody, 5]',
      'questions:',
      '  perTurn: 0',
      '  timeout: 2h',
      '  remind: [3h, 90, 1h]',
      '  escalate: [{after: 4h, to: 5}]',
      `visibleTo: [${people}]`,
      'colour: red',
    ).map((issue) => issue.split(': ').slice(0, 2).join(' ')),
  ).toEqual([
    '4 maxTokens',
    '5 canAsk',
    '6 tools.1',
    '6 tools.0',
    '6 tools.2.hosts',
    '7 subagents.1',
    '7 subagents.0',
    '9 questions.perTurn',
    '11 questions.remind.1',
    '11 questions.remind.2',
    '11 questions.remind.0',
    '12 questions.escalate.0.to',
    '12 questions.escalate.0.after',
    '13 visibleTo',
    '14 colour',
    'other.md:1 must start with front matter',
  ]);
});

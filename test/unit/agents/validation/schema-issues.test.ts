import { AgentFile, McpServerConfig, QuestionPolicy, WebhookTrigger } from '#contract/agent';
import { Escalation } from '#contract/notification';
import { type AgentsFolder, agentFileLines, createAgentsFolder } from '#test/support/agents/agents-folder';

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
});
afterEach(() => folder.remove());

function issuesOf(...lines: string[]): string[] {
  folder.write('clerk.md', ...agentFileLines('clerk', ...lines));
  folder.write('other.md', ...agentFileLines('other'));
  return folder.errors().map((issue) => issue.replace('clerk.md:', ''));
}

/** The first line given is the fourth of the file. */
describe('error messages', () => {
  it.each<[string[], string]>([
    [['model: 5'], '4: model: must be text, not a number; put it in quotes'],
    [['model: true'], '4: model: must be text, not true; put it in quotes'],
    [['model: [a]'], '4: model: must be text, not a list; put it in quotes'],
    [['model:'], '4: model: has no value; must be text'],
    [['model: ""'], '4: model: must not be empty'],
    [['maxTokens: many'], '4: maxTokens: must be a number from 1 to 1,000,000, not text'],
    [['maxTokens: 16k'], '4: maxTokens: must be a number from 1 to 1,000,000, not text'],
    [['maxTokens: "5"'], '4: maxTokens: must be a number from 1 to 1,000,000, not text; remove the quotes'],
    [['maxTokens: 1.5'], '4: maxTokens: must be a whole number, not 1.5'],
    [['maxTokens: 0'], '4: maxTokens: must be from 1 to 1,000,000'],
    [['maxTokens: 1000001'], '4: maxTokens: must be from 1 to 1,000,000'],
    [['questions:', '  maxOptions: 1'], '5: questions.maxOptions: must be from 2 to 50'],
    [['canAsk: no'], '4: canAsk: must be true or false, not text; write true or false, without quotes'],
    [['visibleTo: maria'], '4: visibleTo: must be a list, not text; write [maria]'],
    [['visibleTo: [maria, 5]'], '4: visibleTo.1: must be text, not a number; put it in quotes'],
    [[`visibleTo: [${Array(51).fill('x')}]`], '4: visibleTo: must have at most 50 items, but has 51'],
    [['questions: [a]'], '4: questions: must be a group of fields, not a list'],
    [['questions:', '# later'], '4: questions: has no value; must be a group of fields'],
    [['questions:', '  timeout: 90'], '5: questions.timeout: must be a duration as text: 90s, 15m, 4h, 3d or never'],
    [
      ['questions:', '  timeout: soon'],
      '5: questions.timeout: must be a duration from 1s to 10 years: 90s, 15m, 4h, 3d or never',
    ],
    [
      ['questions:', '  onTimeout: wiat'],
      '5: questions.onTimeout: must be one of: continue, default, fail, wait; did you mean `wait`?',
    ],
    [['questions:', '  onTimeout: panic'], '5: questions.onTimeout: must be one of: continue, default, fail, wait'],
    [
      ['questions:', '  remind:', '    - 1h', '    - 90'],
      '7: questions.remind.1: must be a duration as text: 90s, 15m, 4h or 3d',
    ],
    [
      ['questions:', '  remind: [never]'],
      '5: questions.remind.0: must be a duration from 1s to 10 years: 90s, 15m, 4h or 3d',
    ],
    [
      [`questions: {remind: [${Array.from({ length: 21 }, (_, n) => `${n + 1}m`)}]}`],
      '4: questions.remind: must have at most 20 items, but has 21',
    ],
    [
      ['questions:', '  escalate:', '    - to: joe', '      after: 5'],
      '7: questions.escalate.0.after: must be a duration as text: 90s, 15m, 4h or 3d',
    ],
    [
      ['questions:', '  escalate:', '    - to: joe'],
      '6: questions.escalate.0.after: is missing; must be a duration as text: 90s, 15m, 4h or 3d',
    ],
    [['questions:', '  escalate: [{after: 1h, to: []}]'], '5: questions.escalate.0.to: must have at least 1 item'],
    [
      ['questions:', '  escalate: [{after: 1h}]'],
      '5: questions.escalate.0.to: is missing: names of keys; `*` means everyone with a key',
    ],
    [['questions:', '  notify: slack'], '5: questions.notify: must be a list, such as [slack:#ops]'],
    [
      ['questions:', '  notify: [slack]'],
      '5: questions.notify.0: "slack" needs a channel such as #ops, a channel ID, or a person such as @maria after "slack:"',
    ],
    [
      ['questions:', '  notify: [pager]'],
      '5: questions.notify.0: unknown destination "pager"; use one of: inbox, log, webhook, slack:#channel, slack:@person, email:address',
    ],
    [['questions:', '  notify: [log:x]'], '5: questions.notify.0: write "log" alone, with nothing after it'],
    [['questions:', '  notify: [log, log]'], '5: questions.notify: lists a destination twice'],
    [
      ['questions:', '  notify: [email:ops]'],
      '5: questions.notify.0: "email:ops" needs an address such as ops@example.com after "email:"',
    ],
    [['trigger: {}'], '4: trigger.message: is missing: the first message, with {{ path.in.the.body }} for values'],
    [['trigger:', '  message: {{ it }}'], '5: trigger.message: must be text, not a group of fields; put it in quotes'],
    [['callbackUrl: example.com'], '4: callbackUrl: must be a URL that starts with http:// or https://'],
    [
      ['subagents: [Other]'],
      '4: subagents.0: must be 1 to 64 lowercase letters, digits or hyphens, and not start with a hyphen',
    ],
    [['tools: [5]'], '4: tools.0: must be the name of a tool, or `name: …` followed by its settings'],
    [['tools: ["a b"]'], '4: tools.0.name: must be letters, digits, underscores or hyphens'],
    [
      ['tools:', '  - name: http_request', '    hosts: []'],
      '6: tools.0.hosts: must name at least one host, such as api.example.com',
    ],
    [
      ['tools:', '  - http_request'],
      '5: tools.0.hosts: is missing: the hosts it may call, as in hosts: [api.example.com]',
    ],
    [
      ['tools:', '  - name: http_request', '    hosts: [a.example]', '    headers: {authorization: "Bearer x"}'],
      '7: tools.0.headers.authorization: must be headers by host, as in headers: {api.example.com: {authorization: …}}',
    ],
  ])('say what to fix: %j', (lines, message) => {
    expect(issuesOf(...lines)).toContain(message);
  });

  it('list the known fields, and the one that was probably meant', () => {
    const [firstIssue = '', ...otherIssues] = issuesOf('question: {}');
    expect(otherIssues).toEqual([]);
    expect(firstIssue).toMatch(
      /^4: question: unknown field; allowed: name, description, model, .*; did you mean `questions`\?$/,
    );
    expect(issuesOf('questions:', '  perturn: 5', '  colour: red')).toEqual([
      expect.stringMatching(/^5: questions\.perturn: .*: timeout, onTimeout, .*did you mean `perTurn`\?$/),
      expect.stringMatching(/^6: questions\.colour: unknown field; .*: timeout, [^`]*$/),
    ]);
  });

  it.each<[string[], string[]]>([
    [['    command: 5'], ['6: mcp.files.command: must be text, not a number; put it in quotes']],
    [
      ['    command: npx', '    arg: [x]'],
      ['7: mcp.files.arg: unknown field; allowed: command, args, env, cwd, timeout, tools; did you mean `args`?'],
    ],
    [['    command: npx', '    args: -y'], ['7: mcp.files.args: must be a list, not text; write [-y]']],
    ...['npx -y server-x', 'node server.js', '/usr/bin/python -m server'].map((command): [string[], string[]] => [
      [`    command: ${command}`],
      ['6: mcp.files.command: must be the program only; put the arguments in `args`'],
    ]),
    [['    command: /opt/my programs/server'], []],
    [['    command: npx', '    tools: []'], ['7: mcp.files.tools: must list at least one tool; omit it to allow all']],
    [['    url: files.example.com'], ['6: mcp.files.url: must be a URL that starts with http:// or https://']],
    [
      ['    url: https://example.com', '    args: [x]'],
      ['7: mcp.files.args: unknown field; allowed: url, headers, timeout, tools'],
    ],
    [['    url: https://example.com', '    timeout: 10m'], ['7: mcp.files.timeout: must be at most 4m']],
    [
      ['    comand: npx'],
      [
        '5: mcp.files: set `command` for a program to start, or `url` for a server to call',
        '6: mcp.files.comand: unknown field; allowed: command, args, env, cwd, timeout, tools, url, headers; did you mean `command`?',
      ],
    ],
    [
      ['    url: https://example.com', '    command: npx', '    timeout: 90'],
      [
        '5: mcp.files: set either `command` or `url`, not both',
        '8: mcp.files.timeout: must be a duration as text: 90s, 15m, 4h or 3d',
      ],
    ],
    [
      ['    timeout: 9m'],
      [
        '5: mcp.files: set `command` for a program to start, or `url` for a server to call',
        '6: mcp.files.timeout: must be at most 4m',
      ],
    ],
  ])('judge an MCP server by its kind: %j', (lines, messages) => {
    expect(issuesOf('mcp:', '  files:', ...lines)).toEqual(messages);
  });

  it.each(['{{ a.b', '{{ }}', '{{ a b }}', '{{a..b}}', '{{ .a }}', '{{}}'])(
    'report a placeholder in a trigger that would never be filled: %s',
    (placeholder) => {
      expect(issuesOf('trigger:', `  message: "Look: {{ x.0 }} ${placeholder}"`)).toEqual([
        `5: trigger.message: invalid placeholder ${placeholder}; use {{ path.in.the.body }}, or {{ . }} for the whole body`,
      ]);
    },
  );

  it.each(['{{ . }}', '{{a-b.c_d.0}}{{ e }}', '{{{ a }}}', 'if (a) { b }}', '{ {{ a }}{ }'])(
    'accept a placeholder in a trigger: %s',
    (message) => expect(issuesOf('trigger:', `  message: "${message}"`)).toEqual([]),
  );

  it('cover an MCP server with an invalid name, too', () => {
    expect(issuesOf('mcp:', '  My_Files: {command: 5}', '  text: npx')).toEqual([
      '5: mcp.My_Files.command: must be text, not a number; put it in quotes',
      '5: mcp.My_Files: must be lowercase letters, digits or hyphens',
      '6: mcp.text: set `command` for a program to start, or `url` for a server to call',
    ]);
  });

  it('cover a YAML anchor, at the line where it is written', () => {
    expect(issuesOf('visibleTo: &all', '  - maria', '  - 5', 'questions:', '  assignees: *all')).toEqual([
      '6: questions.assignees.1: must be text, not a number; put it in quotes',
      '6: visibleTo.1: must be text, not a number; put it in quotes',
    ]);
  });
});

describe('any value in a field', () => {
  const fieldCases = (parentLines: string[], indent: string, fields: string[]) =>
    fields.map((field): [string, string[], string] => [field, parentLines, indent]);
  const fields = [
    ...fieldCases(
      [],
      '',
      Object.keys(AgentFile.shape).filter((field) => !/^(name|description)$/.test(field)),
    ),
    ...fieldCases(['questions:'], '  ', Object.keys(QuestionPolicy.shape)),
    ...fieldCases(['questions:', '  escalate:', '  - x: 1'], '    ', Object.keys(Escalation.shape)),
    ...fieldCases(['trigger:'], '  ', Object.keys(WebhookTrigger.shape)),
    ...fieldCases(['mcp:', '  files:'], '    ', ['command', 'url']),
    ...McpServerConfig.options.flatMap(({ shape }) => {
      const [discriminator = '', ...others] = Object.keys(shape);
      return fieldCases(['mcp:', '  files:', `    ${discriminator}: https://example.com`], '    ', others);
    }),
    ...fieldCases(['tools:', '  - name: http_request'], '    ', ['requiresConfirmation', 'hosts', 'headers']),
  ];
  const values = [
    '5',
    '-1.5',
    'true',
    '~',
    '""',
    '"x y"',
    '[]',
    '[5, ~, [x]]',
    '{}',
    '{a: {b: 5}}',
    '.inf',
    '!!set {x}',
  ];

  it.each(fields)('is accepted, or rejected in plain words at its line: %s', (field, parentLines, indent) => {
    for (const value of values) {
      const issues = issuesOf(...parentLines, `${indent}${field}: ${value}`);
      const issuesAtLine = issues.filter((issue) => issue.startsWith(`${4 + parentLines.length}: `));
      expect({ value, issues: issues.filter((issue) => !/^(other\.md:)?\d+: \S+: ./.test(issue)) }).toEqual({
        value,
        issues: [],
      });
      expect(issues.join('\n')).not.toMatch(/Invalid|expected|received|Too (big|small)|undefined|\[object/);
      if (['5', '{a: {b: 5}}'].includes(value) && !/^(maxTokens|per|max|mcp|env|headers)/.test(field))
        expect({ value, issuesAtLine }).toEqual({
          value,
          issuesAtLine: [expect.stringContaining(field), ...issuesAtLine.slice(1)],
        });
    }
  });
});

describe('invalid YAML', () => {
  it.each<[string[], string]>([
    [['model: "x'], '4: front matter: a quote is not closed'],
    [['model: a: b'], '4: front matter: put a value that contains a colon in quotes'],
    [['questions:', '\ttimeout: 4h'], '5: front matter: indent with spaces; tabs are not allowed'],
    [['tools: [a, b'], 'front matter: the indentation does not match the lines above, or a bracket'],
    [['model: @claude'], '4: front matter: put a value that starts with @, ` or % in quotes'],
    [['model: *'], '4: front matter: put a value that starts with * in quotes'],
    [['model: *x'], '4: front matter: unknown alias *x'],
    [['nothing'], 'front matter: expected key: value'],
    [["model: 'it's'"], `4: front matter: the quote ends before the value does; write "it's"`],
    [['model: [a] b'], '4: front matter: invalid YAML; put a value that contains quotes, brackets or colons'],
    [['model: a', '  canAsk: true'], '4: front matter: the next line is indented too far'],
    [['tools:', ' - a', '- b'], '6: front matter: the indentation does not match'],
    [['model: a', 'model: b'], '5: front matter: duplicate key model'],
  ])('%j', (lines, message) => {
    expect(issuesOf(...lines)).toEqual([expect.stringContaining(message)]);
  });

  it('that repeats a key is checked for other errors, too', () => {
    expect(issuesOf('model: a', 'model: b', 'maxTokens: 0')).toHaveLength(2);
  });

  it('that refers to itself endlessly is an error', () => {
    const bomb = ['a: &a [x, x, x, x, x, x, x, x]'];
    for (const [index, name] of ['b', 'c', 'd', 'e'].entries())
      bomb.push(`${name}: &${name} [${Array(8).fill(`*${'abcd'[index]}`)}]`);
    expect(issuesOf(...bomb)).toEqual([expect.stringContaining('1: front matter: aliases expand to too many values')]);
    expect(issuesOf('tools: &t [*t]')).toEqual([expect.stringContaining('4: tools.0: must be the name of a tool')]);
  });
});

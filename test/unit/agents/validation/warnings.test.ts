import { loadAgents } from '#agents/load-agents';
import { findAgentWarnings } from '#agents/validation/warnings';
import { type AgentsFolder, agentFileLines, createAgentsFolder, knownTools } from '#test/support/agents/agents-folder';

let folder: AgentsFolder;
beforeEach(() => {
  folder = createAgentsFolder();
});
afterEach(() => folder.remove());

function warnings(...lines: string[]): string[] {
  return warningsWith({ SET: 'x' }, ...lines);
}

function warningsWith(variables: Record<string, string>, ...lines: string[]): string[] {
  folder.write('clerk.md', ...agentFileLines('clerk', ...lines));
  const agent = loadAgents(folder.path, knownTools).get('clerk');
  if (!agent) throw new Error('no agent');
  return findAgentWarnings(agent, variables);
}

/** `$` and `{` apart, so that it is not a template literal. */
const variableReference = (name: string) => `$${`{${name}}`}`;
const mcpServerLines = (...fields: string[]) => ['mcp:', '  pay:', ...fields.map((field) => `    ${field}`)];
const urlLine = 'url: https://pay.example.com';
const httpRequestLines = (headers: string) => [
  'tools:',
  '  - name: http_request',
  '    hosts: [a.example]',
  `    headers: {a.example: ${headers}}`,
];
const PINNED_HINT = `agents are stored in histories, so use a variable: ${variableReference('NAME')}`;
const unexpandedMessage = `is not replaced; ${PINNED_HINT}`;

describe('an agent gets a warning about', () => {
  it.each<[string, string[], string]>([
    [
      'a header with a secret in it',
      mcpServerLines(urlLine, 'headers: {Authorization: Bearer abc}'),
      `mcp.pay.headers.Authorization looks like a plain-text secret; ${PINNED_HINT}`,
    ],
    [
      'the same in http_request',
      httpRequestLines('{x-api-key: abcdef}'),
      `tools.http_request.headers.a.example.x-api-key looks like a plain-text secret; ${PINNED_HINT}`,
    ],
    [
      'a secret for a program',
      mcpServerLines('command: npx', 'env: {PAY_TOKEN: abcdef}'),
      `mcp.pay.env.PAY_TOKEN looks like a plain-text secret; ${PINNED_HINT}`,
    ],
    [
      'a variable without braces',
      mcpServerLines(urlLine, 'headers: {authorization: Bearer $SET}'),
      `$SET in mcp.pay.headers.authorization ${unexpandedMessage}`,
    ],
    [
      'a variable that is not closed',
      httpRequestLines(`{authorization: "Bearer \${SET"}`),
      `\${SET in tools.http_request.headers.a.example.authorization ${unexpandedMessage}`,
    ],
    [
      'one in an argument',
      mcpServerLines('command: npx', 'args: [--key, $SET]'),
      `$SET in mcp.pay.args.1 ${unexpandedMessage}`,
    ],
    [
      'a variable in a command',
      mcpServerLines(`command: "${variableReference('UNSET')}/server"`),
      `${variableReference('UNSET')} is not replaced in mcp.pay.command`,
    ],
    [
      'a variable in a working directory',
      mcpServerLines('command: npx', `cwd: "${variableReference('SET')}"`),
      `${variableReference('SET')} is not replaced in mcp.pay.cwd`,
    ],
    [
      'a variable where none is replaced',
      [`model: "${variableReference('SET')}"`],
      `${variableReference('SET')} is not replaced in model`,
    ],
    [
      'a variable that is not set',
      mcpServerLines(`url: "https://pay.example.com/${variableReference('UNSET')}"`),
      'UNSET is not set (MCP server pay)',
    ],
  ])('%s', (_case, lines, warning) => {
    expect(warnings(...lines)).toEqual([`clerk: ${warning}`]);
  });

  it.each<[string, string[]]>([
    [
      'the name of a variable',
      mcpServerLines(urlLine, `headers: {authorization: "Bearer ${variableReference('SET')}"}`),
    ],
    ['a header without a secret', httpRequestLines('{accept: text/plain}')],
    ['a switch or a count', mcpServerLines('command: npx', 'env: {MAX_TOKENS: "4000", KEY_CHECK: "true"}')],
    ["a shell's own variable", mcpServerLines('command: /bin/sh', 'args: [-c, "exec server $HOME"]')],
    ['a price', mcpServerLines('command: npx', 'args: [--most, $5]')],
  ])('nothing if there is %s', (_case, lines) => {
    expect(warnings(...lines)).toEqual([]);
  });
});

describe('destinations of notifications', () => {
  const notifyLines = (...destinations: string[]) => [
    'questions:',
    `  notify: [${destinations.map((destination) => `"${destination}"`).join(', ')}]`,
  ];
  const KEYS = { PARLEY_API_KEYS: 'set', PARLEY_SMTP_URL: 'set', SLACK_BOT_TOKEN: 'set' };

  it('cause a warning while their channel is not set up', () => {
    expect(warnings(...notifyLines('slack:#ops', 'email:ops@example.com', 'webhook', 'inbox', 'log'))).toEqual([
      'clerk: SLACK_BOT_TOKEN is not set (slack:#ops)',
      'clerk: PARLEY_SMTP_URL is not set (email:ops@example.com)',
      'clerk: notify: webhook has no effect unless a conversation is started with a callbackUrl',
    ]);
  });

  it('cause a warning if the person may not answer', () => {
    const expectedWarning = 'is notified of questions that ops@example.com can answer only if';
    expect(warningsWith(KEYS, ...notifyLines('email:ops@example.com', 'slack:#ops'))).toEqual([
      expect.stringContaining(expectedWarning),
    ]);
    expect(warningsWith(KEYS, ...notifyLines('email:ops@example.com'), '  assignees: [ops@example.com]')).toEqual([]);
    const withPeople = { ...KEYS, PARLEY_PEOPLE: 'maria=ops@example.com' };
    expect(
      warningsWith(withPeople, ...notifyLines('email:ops@example.com', 'slack:@maria'), '  assignees: [maria]'),
    ).toEqual([]);
  });
});

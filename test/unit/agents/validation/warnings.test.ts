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

/** `$` and `{` apart, so that nobody takes it for a template. */
const variable = (name: string) => `$${`{${name}}`}`;
const mcp = (...fields: string[]) => ['mcp:', '  pay:', ...fields.map((field) => `    ${field}`)];
const address = 'url: https://pay.example.com';
const http = (headers: string) => [
  'tools:',
  '  - name: http_request',
  '    hosts: [a.example]',
  `    headers: {a.example: ${headers}}`,
];
const PINNED = `agents are pinned into histories, so name a variable instead, as in ${variable('NAME')}`;
const stays = `stays as it is, since it is not written ${variable('NAME')}; ${PINNED}`;

describe('an agent is warned of', () => {
  it.each<[string, string[], string]>([
    [
      'a header with a secret in it',
      mcp(address, 'headers: {Authorization: Bearer abc}'),
      `mcp.pay.headers.Authorization is written out; ${PINNED}`,
    ],
    [
      'the same of http_request',
      http('{x-api-key: abcdef}'),
      `tools.http_request.headers.a.example.x-api-key is written out; ${PINNED}`,
    ],
    [
      'a secret for a program',
      mcp('command: npx', 'env: {PAY_TOKEN: abcdef}'),
      `mcp.pay.env.PAY_TOKEN is written out; ${PINNED}`,
    ],
    [
      'a variable without braces',
      mcp(address, 'headers: {authorization: Bearer $SET}'),
      `$SET at mcp.pay.headers.authorization ${stays}`,
    ],
    [
      'a variable that is not closed',
      http(`{authorization: "Bearer \${SET"}`),
      `\${SET at tools.http_request.headers.a.example.authorization ${stays}`,
    ],
    ['one in an argument', mcp('command: npx', 'args: [--key, $SET]'), `$SET at mcp.pay.args.1 ${stays}`],
    [
      'a variable in a command',
      mcp(`command: "${variable('UNSET')}/server"`),
      `${variable('UNSET')} is not filled in at mcp.pay.command: it stays there as it is`,
    ],
    [
      'a variable in a folder',
      mcp('command: npx', `cwd: "${variable('SET')}"`),
      `${variable('SET')} is not filled in at mcp.pay.cwd: it stays there as it is`,
    ],
    [
      'a variable where none is read',
      [`model: "${variable('SET')}"`],
      `${variable('SET')} is not filled in at model: it stays there as it is`,
    ],
    [
      'a variable that is not set',
      mcp(`url: "https://pay.example.com/${variable('UNSET')}"`),
      'UNSET is not set here, for the MCP server pay',
    ],
  ])('%s', (_what, lines, warning) => {
    expect(warnings(...lines)).toEqual([`clerk: ${warning}`]);
  });

  it.each<[string, string[]]>([
    ['a secret that is named', mcp(address, `headers: {authorization: "Bearer ${variable('SET')}"}`)],
    ['a header that is no secret', http('{accept: text/plain}')],
    ['a switch or a count', mcp('command: npx', 'env: {MAX_TOKENS: "4000", KEY_CHECK: "true"}')],
    ["a shell's own variable", mcp('command: /bin/sh', 'args: [-c, "exec server $HOME"]')],
    ['a price', mcp('command: npx', 'args: [--most, $5]')],
  ])('nothing where there is %s', (_what, lines) => {
    expect(warnings(...lines)).toEqual([]);
  });
});

describe('where notices go', () => {
  const notify = (...places: string[]) => ['questions:', `  notify: [${places.map((one) => `"${one}"`).join(', ')}]`];
  const KEYS = { PARLEY_API_KEYS: 'set', PARLEY_SMTP_URL: 'set', SLACK_BOT_TOKEN: 'set' };

  it('is said to be nowhere while its channel is not set up', () => {
    expect(warnings(...notify('slack:#ops', 'email:ops@example.com', 'webhook', 'inbox', 'log'))).toEqual([
      'clerk: SLACK_BOT_TOKEN is not set here, for slack:#ops',
      'clerk: PARLEY_SMTP_URL is not set here, for email:ops@example.com',
      'clerk: notify: webhook tells nobody, unless a conversation is started with a callbackUrl',
    ]);
  });

  it('is said to let nobody answer who may not', () => {
    const told = 'is told of questions that ops@example.com may not answer';
    expect(warningsWith(KEYS, ...notify('email:ops@example.com', 'slack:#ops'))).toEqual([
      expect.stringContaining(told),
    ]);
    expect(warningsWith(KEYS, ...notify('email:ops@example.com'), '  assignees: [ops@example.com]')).toEqual([]);
    const named = { ...KEYS, PARLEY_PEOPLE: 'maria=ops@example.com' };
    expect(warningsWith(named, ...notify('email:ops@example.com', 'slack:@maria'), '  assignees: [maria]')).toEqual([]);
  });
});

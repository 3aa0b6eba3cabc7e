import { createGrantVerifier, signAgentGrants } from '#agents/grant-signature';
import type { Agent } from '#contract/agent';
import { listAgentGrants } from '#core/tools/grants';
import { mcpVariableReference } from '#test/support/mcp/servers';

const server = { command: 'node', args: ['notes.js'], env: { KEY: 'a' }, timeout: 60_000 };
const settings = { hosts: ['api.example.com'] };
const agent = {
  name: 'a',
  tools: [{ name: 'write_todos' }, { name: 'http_request', requiresConfirmation: true, ...settings }],
  mcp: { notes: server },
} as unknown as Agent;

describe('what an agent is granted by its file', () => {
  const pinned = signAgentGrants('secret', agent);
  const vouches = createGrantVerifier('secret', []);

  it('is its servers, and tools that are set to something', () => {
    expect(listAgentGrants(agent)).toEqual([{ server }, { tool: 'http_request', settings }]);
    expect(pinned.seals).toHaveLength(2);
    expect(signAgentGrants('secret', { name: 'b' } as Agent)).toEqual({ name: 'b' });
  });

  it('is vouched for where it was sealed, word for word, also after a trip through JSON', () => {
    const { seals } = JSON.parse(JSON.stringify(pinned)) as Agent;
    for (const grant of listAgentGrants(pinned)) expect(vouches(grant, seals)).toBe(true);
    const { args, ...rest } = server;
    expect(vouches({ server: { args, ...rest } }, seals)).toBe(true);
  });

  it.each([
    ['another program', { server: { ...server, command: 'sh' } }],
    ['other arguments', { server: { ...server, args: ['-e', '1'] } }],
    ['another variable', { server: { ...server, env: { KEY: mcpVariableReference('ANTHROPIC_API_KEY') } } }],
    ['an address', { server: { url: 'http://10.0.0.1/', headers: {}, timeout: 60_000 } }],
    ['another host', { tool: 'http_request', settings: { hosts: ['elsewhere.example'] } }],
    ['another tool', { tool: 'other', settings }],
  ])('is not with %s', (_what, grant) => {
    expect(vouches(grant, pinned.seals)).toBe(false);
  });

  it.each([undefined, null, [], 'x', {}, [1, null, {}], [''], { length: 2 }])('is not by %j', (seals) => {
    for (const grant of listAgentGrants(agent)) expect(vouches(grant, seals)).toBe(false);
  });

  it('is not by the seals of another secret', () => {
    const other = createGrantVerifier('another', []);
    for (const grant of listAgentGrants(agent)) expect(other(grant, pinned.seals)).toBe(false);
  });

  it('is by a file here that says the same: what was pinned before 0.8 has no seals', () => {
    const here = createGrantVerifier('another', [agent]);
    for (const grant of listAgentGrants(agent)) expect(here(grant, undefined)).toBe(true);
    expect(here({ server: { ...server, command: 'sh' } }, undefined)).toBe(false);
  });
});

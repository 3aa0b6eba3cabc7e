import { createGrantVerifier, signAgentGrants } from '#agents/grant-signature';
import type { Agent } from '#contract/agent';
import { listAgentGrants } from '#core/tools/grants';
import { testAgent } from '#test/support/core/conversation-fixture';
import { mcpVariableReference } from '#test/support/mcp/servers';

const server = { command: 'node', args: ['notes.js'], env: { KEY: 'a' }, timeout: 60_000 };
const settings = { hosts: ['api.example.com'] };
const agent = {
  name: 'a',
  tools: [{ name: 'write_todos' }, { name: 'http_request', requiresConfirmation: true, ...settings }],
  mcp: { notes: server },
} as unknown as Agent;

describe('what an agent is granted by its file', () => {
  const signedAgent = signAgentGrants('secret', agent);
  const verifyGrant = createGrantVerifier('secret', []);

  it('is its servers, and tools that are set to something', () => {
    expect(listAgentGrants(agent)).toEqual([{ server }, { tool: 'http_request', settings }]);
    expect(signedAgent.grantSignatures).toHaveLength(2);
    expect(signAgentGrants('secret', { ...testAgent(), name: 'b' })).toEqual({ ...testAgent(), name: 'b' });
  });

  it('is vouched for where it was sealed, word for word, also after a trip through JSON', () => {
    const { grantSignatures: signatures } = JSON.parse(JSON.stringify(signedAgent)) as Agent;
    for (const grant of listAgentGrants(signedAgent)) expect(verifyGrant(grant, signatures)).toBe(true);
    const { args, ...rest } = server;
    expect(verifyGrant({ server: { args, ...rest } }, signatures)).toBe(true);
  });

  it.each([
    ['another program', { server: { ...server, command: 'sh' } }],
    ['other arguments', { server: { ...server, args: ['-e', '1'] } }],
    ['another variable', { server: { ...server, env: { KEY: mcpVariableReference('ANTHROPIC_API_KEY') } } }],
    ['an address', { server: { url: 'http://10.0.0.1/', headers: {}, timeout: 60_000 } }],
    ['another host', { tool: 'http_request', settings: { hosts: ['elsewhere.example'] } }],
    ['another tool', { tool: 'other', settings }],
  ])('is not with %s', (_case, grant) => {
    expect(verifyGrant(grant, signedAgent.grantSignatures)).toBe(false);
  });

  it.each([undefined, null, [], 'x', {}, [1, null, {}], [''], { length: 2 }])('is not by %j', (signatures) => {
    for (const grant of listAgentGrants(agent)) expect(verifyGrant(grant, signatures)).toBe(false);
  });

  it('is not by the signatures of another secret', () => {
    const verifyWithOtherSecret = createGrantVerifier('another', []);
    for (const grant of listAgentGrants(agent))
      expect(verifyWithOtherSecret(grant, signedAgent.grantSignatures)).toBe(false);
  });

  it('is by a file here that says the same: what was pinned before 0.8 has no signatures', () => {
    const verifyLocally = createGrantVerifier('another', [agent]);
    for (const grant of listAgentGrants(agent)) expect(verifyLocally(grant, undefined)).toBe(true);
    expect(verifyLocally({ server: { ...server, command: 'sh' } }, undefined)).toBe(false);
  });
});

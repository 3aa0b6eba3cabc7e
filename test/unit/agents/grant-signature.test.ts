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

describe("what an agent's file grants it", () => {
  const signedAgent = signAgentGrants('secret', agent);
  const verifyGrant = createGrantVerifier('secret', []);

  it('are its servers, and tools with settings', () => {
    expect(listAgentGrants(agent)).toEqual([{ server }, { tool: 'http_request', settings }]);
    expect(signedAgent.grantSignatures).toHaveLength(2);
    expect(signAgentGrants('secret', { ...testAgent(), name: 'b' })).toEqual({ ...testAgent(), name: 'b' });
  });

  it('is verified as it was signed, verbatim, even after a round trip through JSON', () => {
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
  ])('is not verified with %s', (_case, grant) => {
    expect(verifyGrant(grant, signedAgent.grantSignatures)).toBe(false);
  });

  it.each([undefined, null, [], 'x', {}, [1, null, {}], [''], { length: 2 }])(
    'is not verified with %j',
    (signatures) => {
      for (const grant of listAgentGrants(agent)) expect(verifyGrant(grant, signatures)).toBe(false);
    },
  );

  it('is not verified with signatures of another secret', () => {
    const verifyWithOtherSecret = createGrantVerifier('another', []);
    for (const grant of listAgentGrants(agent))
      expect(verifyWithOtherSecret(grant, signedAgent.grantSignatures)).toBe(false);
  });

  it('is granted by a local file that says the same, since agents pinned before 0.8 have no signatures', () => {
    const verifyLocally = createGrantVerifier('another', [agent]);
    for (const grant of listAgentGrants(agent)) expect(verifyLocally(grant, undefined)).toBe(true);
    expect(verifyLocally({ server: { ...server, command: 'sh' } }, undefined)).toBe(false);
  });
});

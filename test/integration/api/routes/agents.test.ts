import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentView } from '#contract/agent';
import type { Problem } from '#contract/problem';
import { AgentListResponse } from '#contract/responses';
import { createApiCaller, startParley, type TestParley } from '#test/support/parley/start-parley';

const PROMPT = 'The PROMPT of an agent is its own.';
const SECRET = `whsec_${Buffer.from('SECRET of the webhook, 24 bytes').toString('base64')}`;

const PLAIN = '---\nname: plain\ndescription: Does little.\n---\n';
const FULL = `---
name: full
description: Does a lot.
model: claude-test
maxTokens: 123
visibleTo: [ops, vic]
tools: [write_todos, { name: delegate, requiresConfirmation: true }]
subagents: [plain, open]
mcp: { docs: { url: "https://docs.example.com/mcp", headers: { authorization: "Bearer \${TOKEN}" } } }
questions:
  timeout: 90m
  onTimeout: wait
  remind: [15m, 1h]
  escalate: [{ after: 1h, to: boss }]
  notify: [log]
  perTurn: 3
  perConversation: 30
  maxQuestions: 2
  maxOptions: 7
  assignees: [ann]
trigger:
  message: "A TEMPLATE for {{ this }}"
  secret: PARLEY_HOOK_FULL
---
`;

describe('the agents', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-agents-'));
  let p: TestParley;
  beforeAll(async () => {
    writeFileSync(path.join(folder, 'plain.md'), PLAIN + PROMPT);
    writeFileSync(path.join(folder, 'z-last.md'), FULL + PROMPT);
    writeFileSync(
      path.join(folder, 'open.md'),
      `---\nname: open\ndescription: x\nquestions:\n  timeout: never\ntrigger:\n  message: y\n---\n${PROMPT}`,
    );
    p = await startParley({
      startsWorker: false,
      keys: { ann: ['conversations:write'], bob: ['questions:answer'], ci: ['conversations:write'] },
      keyAgents: { ci: ['plain'] },
      env: { PARLEY_AGENTS: folder, PARLEY_HOOK_FULL: SECRET },
    });
  });
  afterAll(async () => {
    await p.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are listed by name for anyone with a key', async () => {
    const { status, body } = await p.call('GET', '/v1/agents');
    expect(status).toBe(200);
    expect(AgentListResponse.parse(body).items.map(({ name }) => name)).toEqual(['full', 'open', 'plain']);
    expect((await createApiCaller(p.url)('GET', '/v1/agents')).status).toBe(401);
    expect((await createApiCaller(p.url)('GET', '/v1/agents/full')).status).toBe(401);
  });

  it('are returned one by one, with all that a caller needs to know', async () => {
    const { status, body } = await p.call('GET', '/v1/agents/full');
    expect([status, AgentView.parse(body)]).toEqual([
      200,
      {
        name: 'full',
        description: 'Does a lot.',
        model: 'claude-test',
        maxTokens: 123,
        tools: ['ask_user_question', 'confirm_action', 'write_todos', 'delegate'],
        requiresConfirmation: ['delegate'],
        subagents: ['plain', 'open'],
        mcp: ['docs'],
        canAsk: true,
        questions: {
          timeout: '90m',
          onTimeout: 'wait',
          remind: ['15m', '1h'],
          escalate: [{ after: '1h', to: ['boss'] }],
          notify: ['log'],
          perTurn: 3,
          perConversation: 30,
          maxQuestions: 2,
          maxOptions: 7,
          assignees: ['ann'],
        },
        visibleTo: ['ops', 'vic'],
        trigger: { url: `${p.url}/v1/hooks/full`, signed: true },
      },
    ]);
  });

  it('are returned without the people they ask to a caller who starts none', async () => {
    const { body } = await p.callAs('bob')('GET', '/v1/agents/full');
    expect(AgentView.parse(body)).toMatchObject({
      name: 'full',
      visibleTo: [],
      questions: { assignees: [], escalate: [], notify: [] },
    });
  });

  it('do not exist for a key that is limited to others', async () => {
    const call = p.callAs('ci');
    const { items } = AgentListResponse.parse((await call('GET', '/v1/agents')).body);
    expect(items.map(({ name }) => name)).toEqual(['plain']);
    const refusals = await Promise.all([
      call<Problem>('GET', '/v1/agents/full'),
      call<Problem>('POST', '/v1/conversations', { agent: 'full', message: 'Hello' }),
      call<Problem>('POST', '/v1/hooks/open', {}),
    ]);
    expect(refusals.map(({ body }) => body.code)).toEqual(['agent_not_found', 'unknown_agent', 'agent_not_found']);
    for (const { body } of refusals.slice(0, 2)) expect(body.detail).toMatch(/Available: plain\.$/);
    const started = await call('POST', '/v1/conversations', { agent: 'plain', message: 'Hello' });
    expect(started.status).toBe(201);
  });

  it('are returned with the defaults of what their file omits', async () => {
    const [plain, open] = await Promise.all(
      ['plain', 'open'].map(async (name) => AgentView.parse((await p.call('GET', `/v1/agents/${name}`)).body)),
    );
    expect(plain).toMatchObject({
      model: expect.stringMatching(/^claude-/),
      questions: { timeout: '1d', onTimeout: 'continue', assignees: [] },
      visibleTo: [],
      trigger: null,
    });
    expect(open?.trigger).toEqual({ url: `${p.url}/v1/hooks/open`, signed: false });
    expect(open?.questions.timeout).toBe('never');
  });

  it('are the same in the list and alone', async () => {
    const { items } = AgentListResponse.parse((await p.call('GET', '/v1/agents')).body);
    for (const agent of items) expect((await p.call('GET', `/v1/agents/${agent.name}`)).body).toEqual(agent);
  });

  it.each(['nobody', 'Full', '__proto__', 'constructor', '..%2Ffull', 'x'.repeat(300)])(
    'are not found by another name: %s',
    async (name) => {
      const { status, body } = await p.call<Problem>('GET', `/v1/agents/${name}`);
      expect([status, body.code]).toEqual([404, 'agent_not_found']);
      expect(body.detail).toContain('Available: full, open, plain.');
      expect(body.detail.length).toBeLessThan(400);
    },
  );

  it('do not reveal their prompts, templates and secrets', async () => {
    const replies = await Promise.all(
      ['', '/full', '/open', '/plain', '/nobody'].map((name) => p.call('GET', `/v1/agents${name}`)),
    );
    const text = JSON.stringify(replies.map(({ body }) => body));
    for (const secret of [PROMPT, 'TEMPLATE', SECRET, 'PARLEY_HOOK_FULL']) expect(text).not.toContain(secret);
  });
});

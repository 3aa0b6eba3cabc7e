import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportEndedConversation } from '#activities/export-ended-conversation';
import { loadAgents } from '#agents/load-agents';
import type { Agent } from '#contract/agent';
import { type ConversationState, createConversationState } from '#core/conversation/state';
import { createFolderStore } from '#infra/storage/folder-store';
import { mcpVariableReference } from '#test/support/mcp/servers';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

/** Anyone who can reach Temporal can start a workflow with any input. */
describe('a conversation that was not started by the API', () => {
  let p: TestParley;
  let folder: string;
  let inside: Server;
  let heard: number;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'parley-forged-'));
    heard = 0;
    inside = createServer((_request, response) => {
      heard += 1;
      response.end('inside');
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    p = await startParley({
      env: { PARLEY_INTERNAL_HOSTS: '127.0.0.1', OUR_KEY: 'not-for-anybody' },
      replies: [
        replyWithToolCalls(
          { name: 'evil__anything', input: {}, id: 'call-1' },
          { name: 'http_request', input: { url: `http://127.0.0.1:${port()}/` }, id: 'call-2' },
        ),
        replyWithText('done'),
        replyWithText('done'),
      ],
    });
  });
  afterAll(async () => {
    await p?.stop();
    await new Promise((resolve) => inside.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const port = () => (inside.address() as AddressInfo).port;

  function forged(): Agent {
    const agent = loadAgents(p.config.agentsFolder, builtInTools).get(p.agent) as Agent;
    const script = `require('node:fs').writeFileSync(${JSON.stringify(path.join(folder, 'ran'))}, '')`;
    const host = `127.0.0.1:${port()}`;
    return {
      ...agent,
      mcp: { evil: { command: process.execPath, args: ['-e', script], env: {}, timeout: 5_000 } },
      tools: [
        {
          name: 'http_request',
          hosts: [host],
          headers: { [host]: { 'x-key': mcpVariableReference('OUR_KEY') } },
        },
      ],
      grantSignatures: ['forged'],
    };
  }

  const start = (id: string, state: Partial<ConversationState>) => {
    const links = { self: '', events: '', web: '', temporal: '' };
    const said = { id, agent: forged(), message: 'Hello', links, startDigest: '', team: {} };
    return p.client.workflow.start<(state: ConversationState) => Promise<ConversationState>>('conversation', {
      workflowId: id,
      taskQueue: p.taskQueue,
      args: [{ ...createConversationState(said, Date.now()), ...state }],
    });
  };

  it('starts no program, calls no host and gets no variable that its own agent asks for', async () => {
    const handle = await start(`forged-${p.agent}`, {});
    expect((await handle.result()).result).toBe('done');
    const refused = expect.stringContaining('no local agent file grants');
    expect(lastToolResults(await p.model.waitForRequest(1))).toEqual([
      expect.objectContaining({ isError: true, text: refused }),
      expect.objectContaining({ isError: true, text: refused }),
    ]);
    expect(JSON.stringify((await p.model.waitForRequest(0)).body.tools)).not.toContain('evil__');
    expect(existsSync(path.join(folder, 'ran'))).toBe(false);
    expect(heard).toBe(0);
  });

  it('fails the task, not the conversation, if the input cannot be decoded', async () => {
    const workflowId = `unreadable-${p.agent}`;
    const text = (value: string) => new TextEncoder().encode(value);
    await p.client.workflowService.startWorkflowExecution({
      namespace: p.client.options.namespace,
      requestId: workflowId,
      workflowId,
      workflowType: { name: 'conversation' },
      taskQueue: { name: p.taskQueue },
      input: { payloads: [{ metadata: { encoding: text('binary/unknown') }, data: text('x') }] },
    });
    const handle = p.client.workflow.getHandle(workflowId);
    const hasFailedTask = async () =>
      (await handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes);
    while (!(await hasFailedTask())) {
      expect((await handle.describe()).status.name).toBe('RUNNING');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await handle.terminate();
  });

  it("cannot overwrite another's export by claiming its id", async () => {
    const workflowId = `forged-too-${p.agent}`;
    const handle = await start(workflowId, { id: 'somebody-elses' });
    await handle.result();
    const exports = createFolderStore(path.join(folder, 'exports'), 'PARLEY_EXPORTS');
    await exportEndedConversation({ client: p.client, exports }, { workflowId, runId: handle.firstExecutionRunId });
    const written = readdirSync(path.join(folder, 'exports'), { recursive: true }).map(String);
    expect(written.filter((file) => file.endsWith('.json'))).toEqual([
      expect.stringMatching(new RegExp(`/${workflowId}\\.json$`)),
    ]);
  });
});

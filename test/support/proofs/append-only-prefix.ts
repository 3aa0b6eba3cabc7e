import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ModelRequest } from '#models/demo/reply';
import { createServerJournal, isProcessRunning, oddServerConfig, pollUntil } from '#test/support/mcp/servers';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { withEagerContinueAsNewServer } from '#test/support/proofs/continue-as-new';
import { createRecordingTool } from '#test/support/recording-tool';
import { isSummaryModelRequest, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';
import { builtInTools } from '#tools/registry';

const TURNS_PER_MESSAGE = 12;
/** Some pages are long: three of them leave no choice but a summary. */
const pageAt = (turn: number) => 'A line of the page that was read. '.repeat(turn % 12 > 8 ? 450 : 180);

/** How many earlier tool results are removed from the request to save space. */
const countTrimmed = ({ body }: ModelRequest) =>
  JSON.stringify(body.messages).split('was removed to save space').length;

/**
 * Proves that thinking is only sent behind what it was written after, and that it is sent at all: while the transcript
 * is trimmed and summarized, runs continue as new, an MCP server goes and comes back, and tools get new descriptions.
 */
export function proveAppendOnlyPrefix(messages: number, atLeast: { trims: number; compactions: number }): void {
  const addressOf = withEagerContinueAsNewServer();
  const journal = createServerJournal();
  const isUpFile = `${journal.path}.up`;
  const { tool, lines } = createRecordingTool();
  const toolsOfVersion = (version: number) => [
    ...builtInTools,
    {
      ...tool,
      description: `Reads a page. Version ${version}.`,
      execution: { ...tool.execution, execute: async () => `${lines.push('')} ${pageAt(turn)}` } as never,
    },
  ];
  let p: TestParley;
  let turn = 0;

  beforeAll(async () => {
    writeFileSync(isUpFile, '');
    const config = oddServerConfig({ journal: journal.path }, {});
    const launch = `if (require('node:fs').existsSync(${JSON.stringify(isUpFile)})) require(${JSON.stringify(path.join(__dirname, '../mcp/odd-server.js'))})`;
    const mcp = { odd: { ...config, args: ['-e', launch], timeout: '60s', tools: ['pid'] } };
    p = await startParley({
      address: addressOf(),
      tools: toolsOfVersion(0),
      frontMatter: `contextWindow: 24000\nmaxTokens: 300\ntools: [write_todos, write_line]\nmcp: ${JSON.stringify(mcp)}`,
      script: (request) => {
        if (isSummaryModelRequest(request)) return replyWithText('All pages so far were read.');
        turn += 1;
        if (turn % TURNS_PER_MESSAGE === 0) return replyWithText(`Read until turn ${turn}.`);
        return replyWithToolCalls(
          { name: 'write_line', input: { line: `${turn}` } },
          ...(turn % 4 === 0 ? [{ name: 'odd__pid', input: {} }] : []),
        );
      },
    });
  });
  afterAll(async () => {
    await p.stop();
    journal.remove();
  });

  async function stopServer(): Promise<void> {
    rmSync(isUpFile);
    const running = journal.pids().filter(isProcessRunning);
    for (const pid of running) process.kill(pid, 'SIGKILL');
    await pollUntil(() => !running.some(isProcessRunning));
  }

  async function upgrade(version: number): Promise<void> {
    await p.stopWorker();
    writeFileSync(isUpFile, '');
    await p.startWorker({ tools: toolsOfVersion(version) });
  }

  it(`sends no thinking behind a changed prefix in ${messages * TURNS_PER_MESSAGE} turns`, async () => {
    const id = await p.startConversation('Read page after page');
    await p.waitForStatus(id, 'completed');
    for (let message = 2; message <= messages; message += 1) {
      if (message % 3 === 2) await stopServer();
      if (message % 3 === 0) await upgrade(message);
      await p.call('POST', `/v1/conversations/${id}/messages`, { text: `Go on, part ${message}` });
      await pollUntil(() => turn === message * TURNS_PER_MESSAGE);
      await p.waitForStatus(id, 'completed');
    }

    const { requests } = p.model;
    expect(requests.flatMap(({ invalidThinking }) => invalidThinking)).toEqual([]);
    const calls = requests.filter((request) => !isSummaryModelRequest(request));
    const trims = calls.filter((request, at) => countTrimmed(request) > countTrimmed(calls[at - 1] ?? request));
    const sent = calls.map(({ body }) => JSON.stringify(body.messages));
    const count = (text: string) => sent.filter((request) => request.includes(text)).length;
    const seen = {
      calls: calls.length,
      withThinking: count('"type":"thinking"'),
      withRemovedTool: count('"tool_removal"'),
      withAddedTool: count('"tool_addition"'),
      trims: trims.length,
      compactions: requests.length - calls.length,
      runs: await countRuns(id),
    };
    console.log(JSON.stringify(seen));
    expect(seen.calls).toBe(messages * TURNS_PER_MESSAGE);
    expect(seen.withThinking).toBeGreaterThan(seen.calls / 2);
    for (const atLeastOnce of [seen.withRemovedTool, seen.withAddedTool]) expect(atLeastOnce).toBeGreaterThan(0);
    expect(seen.runs).toBeGreaterThan(1);
    expect(seen.trims).toBeGreaterThanOrEqual(atLeast.trims);
    expect(seen.compactions).toBeGreaterThanOrEqual(atLeast.compactions);
  });

  async function countRuns(id: string): Promise<number> {
    const runs = p.client.workflow.list({ query: `WorkflowId = '${id}'` });
    let count = 0;
    for await (const _ of runs) count += 1;
    return count;
  }
}

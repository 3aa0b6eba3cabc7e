import type { McpServerConfig } from '#contract/agent';
import {
  createServerJournal,
  everythingServerConfig,
  isProcessRunning,
  oddServerConfig,
  pollUntil,
  type ServerJournal,
  startEverythingServer,
} from '#test/support/mcp/servers';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

/** The front matter of an agent with these servers, with durations as text. */
function servers(mcp: Record<string, McpServerConfig & { timeout: unknown }>): string {
  const written = Object.entries(mcp).map(([name, config]) => [
    name,
    { ...config, timeout: `${config.timeout / 1_000}s` },
  ]);
  return `mcp: ${JSON.stringify(Object.fromEntries(written))}`;
}

describe('tools of MCP servers', () => {
  let p: TestParley;
  let diary: ServerJournal;
  beforeEach(() => {
    diary = createServerJournal();
  });
  afterEach(async () => {
    await p.stop();
    expect(diary.pids().filter(isProcessRunning)).toEqual([]);
    diary.remove();
  });

  const odd = (timeout = '60s') => oddServerConfig({ journal: diary.path }, { timeout });
  const results = async (request: number) =>
    lastToolResults(await p.model.waitForRequest(request)).map(({ text, isError }) => ({ text, isError }));

  it('are used by an agent, from a program and from a URL', async () => {
    const remote = await startEverythingServer();
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({
        everything: everythingServerConfig(),
        remote: { url: remote.url, headers: {}, timeout: 60_000 },
      }),
      replies: [
        replyWithToolCalls(
          { name: 'everything__echo', input: { message: 'from the program' }, id: 'call-1' },
          { name: 'remote__get-sum', input: { a: 2, b: 40 }, id: 'call-2' },
        ),
        replyWithText('done'),
      ],
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
    const { body } = await p.model.waitForRequest(0);
    const names = body.tools?.map((tool) => ('name' in tool ? tool.name : ''));
    expect(names).toEqual(expect.arrayContaining(['ask_user_question', 'everything__echo', 'remote__get-sum']));
    expect(JSON.stringify(body.system)).not.toContain('missing at the moment');
    expect(await results(1)).toEqual([
      { text: 'Echo: from the program', isError: false },
      { text: expect.stringContaining('42'), isError: false },
    ]);
    p.model.expectAllRepliesUsed();
    await remote.stop();
  });

  it('are reported as unavailable while their server is down; a call is an error, and the conversation continues', async () => {
    const gone = await startEverythingServer();
    await gone.stop();
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({ down: { url: gone.url, headers: {}, timeout: 60_000 }, odd: odd() }),
      replies: [
        replyWithToolCalls(
          { name: 'down__read', input: {}, id: 'call-1' },
          { name: 'odd__cwd', input: {}, id: 'call-2' },
        ),
        replyWithText('without it then'),
      ],
    });
    const id = await p.startConversation();
    expect((await p.waitForStatus(id, 'completed')).result).toBe('without it then');
    const { body } = await p.model.waitForRequest(0);
    expect(JSON.stringify(body.system)).toContain(
      'Some or all tools of these MCP servers are unavailable right now: down.',
    );
    expect(await results(1)).toEqual([
      {
        text: `Not run: the MCP server "down" can't be reached: could not connect to ${gone.url} (ECONNREFUSED). Continue without it, or try again later.`,
        isError: true,
      },
      { text: process.cwd(), isError: false },
    ]);
  });

  it('return after their program was killed', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({ odd: odd() }),
      replies: [
        replyWithToolCalls({ name: 'odd__pid', input: {}, id: 'call-1' }),
        async () => {
          const [pid = 0] = diary.pids();
          process.kill(pid, 'SIGKILL');
          await pollUntil(() => !isProcessRunning(pid));
          return replyWithToolCalls({ name: 'odd__pid', input: {}, id: 'call-2' });
        },
        replyWithText('done'),
      ],
    });
    await p.waitForStatus(await p.startConversation(), 'completed');
    const [first, second] = diary.pids();
    expect(await results(1)).toEqual([{ text: String(first), isError: false }]);
    expect(await results(2)).toEqual([{ text: String(second), isError: false }]);
  });

  it('end at their timeout if they hang', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({ odd: odd('1s') }),
      replies: [replyWithToolCalls({ name: 'odd__hang', input: {}, id: 'call-1' }), replyWithText('never mind')],
    });
    expect((await p.waitForStatus(await p.startConversation(), 'completed')).result).toBe('never mind');
    expect(await results(1)).toEqual([
      { text: expect.stringContaining('odd__hang returned no result within 1s'), isError: true },
    ]);
  });

  it('are cancelled with the conversation', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({ odd: odd() }),
      replies: [replyWithToolCalls({ name: 'odd__hang', input: {}, id: 'call-1' })],
    });
    const id = await p.startConversation();
    await pollUntil(() => diary.lines().includes('tools/call'));
    await p.call('POST', `/v1/conversations/${id}/cancel`);
    await pollUntil(() => diary.lines().includes('notifications/cancelled'));
    await p.waitForStatus(id, 'cancelled');
  });

  it('are shared by the conversations of a worker, and end with it', async () => {
    p = await startParley({
      ownWorker: true,
      frontMatter: servers({ odd: odd() }),
      script: ({ body }) =>
        body.messages.length === 1 ? replyWithToolCalls({ name: 'odd__pid', input: {} }) : replyWithText('done'),
    });
    const ids = await Promise.all([p.startConversation(), p.startConversation(), p.startConversation()]);
    await Promise.all(ids.map((id) => p.waitForStatus(id, 'completed')));
    expect(diary.pids()).toHaveLength(1);
    await p.stopWorker();
    expect(diary.pids().filter(isProcessRunning)).toEqual([]);
  });
});

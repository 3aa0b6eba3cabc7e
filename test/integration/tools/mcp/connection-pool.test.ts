import type { McpServerConfig } from '#contract/agent';
import {
  createServerJournal,
  isProcessRunning,
  type OddServerOptions,
  oddServerConfig,
  pollUntil,
  type ServerJournal,
} from '#test/support/mcp/servers';
import type { McpLimits } from '#tools/mcp/connection';
import { createMcpServers, type McpServers } from '#tools/mcp/servers';

describe('the connections of a worker', () => {
  let mcp: McpServers;
  let journal: ServerJournal;
  beforeEach(() => {
    journal = createServerJournal();
    mcp = createMcpServers({ variables: {} });
  });
  afterEach(async () => {
    await mcp.close();
    expect(journal.pids().filter(isProcessRunning)).toEqual([]);
    journal.remove();
  });

  const odd = (options: OddServerOptions = {}, config: object = {}) =>
    oddServerConfig({ journal: journal.path, ...options }, config);
  const setLimits = (limits: Partial<McpLimits>) => {
    mcp = createMcpServers({ variables: {}, limits });
  };
  const call = (config: McpServerConfig, tool: string, input: object = {}) =>
    mcp.call({ name: 'odd', config }, { name: `odd__${tool}` }, input, new AbortController().signal);
  const toolNames = async (config: McpServerConfig) =>
    (await mcp.loadCatalog({ odd: config })).tools.map(({ name }) => name);

  it('are shared by all agents with the same server, however many connect at once', async () => {
    const strict = odd({}, { tools: ['pid'], timeout: '5s' });
    await Promise.all([call(odd(), 'pid'), call(strict, 'pid'), mcp.loadCatalog({ one: odd(), two: strict })]);
    expect(journal.pids()).toHaveLength(1);
    expect(journal.lines().filter((line) => line === 'tools/list')).toHaveLength(1);
    await call(odd({}, { cwd: '/' }), 'pid');
    expect(journal.pids()).toHaveLength(2);
  });

  it('are replaced if the program was killed', async () => {
    const first = Number(await call(odd(), 'pid'));
    process.kill(first, 'SIGKILL');
    await pollUntil(() => !isProcessRunning(first));
    expect(Number(await call(odd(), 'pid'))).not.toBe(first);
  });

  it('are replaced if the program hangs', async () => {
    setLimits({ connectMs: 3_000 });
    const config = odd({}, { timeout: '1s' });
    const first = Number(await call(config, 'pid'));
    await expect(call(config, 'freeze')).rejects.toThrow('returned no result within 1s');
    await pollUntil(() => !isProcessRunning(first));
    expect(Number(await call(config, 'pid'))).not.toBe(first);
  });

  it('survive a slow call', async () => {
    const config = odd({}, { timeout: '1s' });
    const first = await call(config, 'pid');
    await expect(call(config, 'hang')).rejects.toThrow('returned no result within 1s');
    expect(await call(config, 'pid')).toBe(first);
  });

  it('close when they are idle for a while', async () => {
    setLimits({ idleMs: 50 });
    const pid = Number(await call(odd(), 'pid'));
    await pollUntil(() => !isProcessRunning(pid));
    expect(await call(odd(), 'pid')).not.toBe(String(pid));
  });

  it('are not retried for a moment if a server is down', async () => {
    const config = odd({ dyingMessage: 'no luck' });
    const reason = 'it exited; last output: no luck';
    expect((await mcp.loadCatalog({ odd: config })).unreachable).toEqual([{ server: 'odd', reason }]);
    expect((await mcp.loadCatalog({ odd: config })).unreachable).toEqual([{ server: 'odd', reason }]);
    expect(journal.pids()).toHaveLength(1);
    await expect(call(config, 'pid')).rejects.toThrow(
      `Not run: the MCP server "odd" can't be reached: ${reason}. Continue without it, or try again later.`,
    );
    expect(journal.pids()).toHaveLength(2);
  });

  it('are retried after that moment', async () => {
    setLimits({ retryDelayMs: 1 });
    const config = odd({ dyingMessage: 'no luck' });
    await pollUntil(async () => {
      await mcp.loadCatalog({ odd: config });
      return journal.pids().length === 2;
    });
  });

  it.each(['initialize', 'tools/list'])('do not wait for a server that does not respond to %s', async (silentTo) => {
    // Long enough for the other server, which starts slowly on a busy machine.
    setLimits({ connectMs: 3_000 });
    const catalog = await mcp.loadCatalog({ silent: odd({ silentTo }), odd: odd() });
    expect(catalog.unreachable).toEqual([{ server: 'silent', reason: 'it did not respond in time' }]);
    expect(catalog.tools.map(({ name }) => name)).toContain('odd__pid');
  });

  it('list tools page by page, and skip invalid ones', async () => {
    const tools = Array.from({ length: 300 }, (_none, index) => ({ name: `tool-${index}`, inputSchema: {} }));
    const nameless = { inputSchema: { type: 'object' } };
    const config = odd({ tools: [nameless, ...tools], pageSize: 7 });
    expect(await toolNames(config)).toEqual(tools.map(({ name }) => `odd__${name}`));
    expect(journal.lines().filter((line) => line === 'tools/list')).toHaveLength(43);
  });

  it('call tools with unusual names by their original name', async () => {
    const config = odd({ tools: [{ name: 'what is it?' }, { name: 'what is it!' }] });
    const [first = '', second = ''] = await toolNames(config);
    expect(await call(config, first.replace('odd__', ''))).toBe('what is it?');
    expect(await call(config, second.replace('odd__', ''))).toBe('what is it!');
  });

  it('notice when the tools change', async () => {
    const config = odd();
    expect(await toolNames(config)).not.toContain('odd__bloom');
    await call(config, 'grow', { name: 'bloom' });
    await pollUntil(async () => (await toolNames(config)).includes('odd__bloom'));
    expect(await call(config, 'bloom')).toBe('bloom');
    expect(journal.lines().filter((line) => line === 'tools/list')).toHaveLength(2);
  });

  it('list the tools again when the list is old', async () => {
    setLimits({ toolListMaxAgeMs: 0 });
    await toolNames(odd());
    await toolNames(odd());
    expect(journal.lines().filter((line) => line === 'tools/list')).toHaveLength(2);
  });

  it('are closed, even with a program that refuses to exit', async () => {
    const config = odd({ ignoresShutdown: true });
    const pid = Number(await call(config, 'pid'));
    const hanging = call(config, 'hang').catch((error: Error) => error.message);
    await pollUntil(() => journal.lines().filter((line) => line === 'tools/call').length === 2);
    await mcp.close();
    expect(isProcessRunning(pid)).toBe(false);
    expect(await hanging).toContain('broke while odd__hang was running');
    await expect(call(config, 'pid')).rejects.toThrow('the worker is shutting down');
  });

  it('are closed while they are being opened, too', async () => {
    const loading = mcp.loadCatalog({ odd: odd({ silentTo: 'initialize', ignoresShutdown: true }) });
    await pollUntil(() => journal.lines().includes('initialize {}'));
    await mcp.close();
    expect(journal.pids().filter(isProcessRunning)).toEqual([]);
    expect((await loading).tools).toEqual([]);
  });
});

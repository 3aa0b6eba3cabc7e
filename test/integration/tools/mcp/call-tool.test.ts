import type { McpServerConfig } from '#contract/agent';
import { createServerJournal, oddServerConfig, pollUntil, type ServerJournal } from '#test/support/mcp/servers';
import { createMcpServers, type McpServers } from '#tools/mcp/servers';

describe('a call of a tool', () => {
  let mcp: McpServers;
  let journal: ServerJournal;
  beforeEach(() => {
    journal = createServerJournal();
    mcp = createMcpServers({ variables: {} });
  });
  afterEach(async () => {
    await mcp.close();
    journal.remove();
  });

  const odd = (timeout = '60s') => oddServerConfig({ journal: journal.path }, { timeout });
  const neverAborted = new AbortController().signal;
  const call = (tool: string, input: unknown = {}, config: McpServerConfig = odd(), signal = neverAborted) =>
    mcp.call({ name: 'odd', config }, { name: `odd__${tool}` }, input, signal);

  it('is an error if the tool reports a failure', async () => {
    const result = { content: [{ type: 'text', text: 'no such file' }], isError: true };
    await expect(call('reply', { result })).rejects.toThrow(new Error('no such file'));
  });

  it('returns data even if it does not match its schema', async () => {
    expect(await call('reply', { result: { content: [], structuredContent: { a: 1 } } })).toBe('{"a":1}');
  });

  it('explains invalid arguments', async () => {
    const tools = [{ name: 'refuse' }];
    const config = oddServerConfig({ tools });
    await expect(call('refuse', { code: -32602, message: '"path" is missing' }, config)).rejects.toThrow(
      /^The MCP server "odd" rejected the call to odd__refuse: .*"path" is missing\. Fix the arguments and call again\.$/,
    );
    await expect(call('refuse', { code: -32603, message: 'disk full' }, config)).rejects.toThrow(
      /^The call to odd__refuse failed on the MCP server "odd": .*disk full\. Try something else, or continue without it\.$/,
    );
  });

  it('requires an object, and a tool that exists', async () => {
    await expect(call('pid', ['a'])).rejects.toThrow('Not run: the input of odd__pid must be an object.');
    await expect(call('no_such')).rejects.toThrow(
      /has no tool "odd__no_such" that you may use\. Available tools: odd__pid, /,
    );
    expect(journal.lines()).not.toContain('tools/call');
  });

  it('reports that the server exited, with its last output', async () => {
    await expect(call('die')).rejects.toThrow(
      'The connection to the MCP server "odd" broke while odd__die was running: it exited; last output: some earlier line\nout of ink. It may have partly run: check before you call it again.',
    );
  });

  it('ends at its timeout, and the server is notified', async () => {
    await expect(call('hang', {}, odd('1s'))).rejects.toThrow(
      'odd__hang returned no result within 1s and was cancelled. It may have partly run:',
    );
    await pollUntil(() => journal.lines().includes('notifications/cancelled'));
  });

  it('continues as long as progress is reported', async () => {
    expect(await call('progress', { times: 4, every: 400, ends: true }, odd('1s'))).toBe('ended');
  });

  it('does not continue forever, whatever progress is reported', async () => {
    await mcp.close();
    mcp = createMcpServers({ variables: {}, limits: { callMs: 700 } });
    await expect(call('progress', { times: 1_000, every: 50 }, odd('60s'))).rejects.toThrow('and was cancelled');
  });

  it('is cancelled on the server when it is aborted, and rejects at once', async () => {
    const abort = new AbortController();
    const hanging = call('hang', {}, odd(), abort.signal);
    await pollUntil(() => journal.lines().includes('tools/call'));
    abort.abort(new Error('given up'));
    await expect(hanging).rejects.toThrow('given up');
    await pollUntil(() => journal.lines().includes('notifications/cancelled'));
    await expect(call('pid', {}, odd(), abort.signal)).rejects.toThrow('given up');
  });

  it('is aborted at once while the server is being connected to, too', async () => {
    const abort = new AbortController();
    const config = oddServerConfig({ journal: journal.path, silentTo: 'initialize' });
    const hanging = call('pid', {}, config, abort.signal);
    await pollUntil(() => journal.lines().includes('initialize {}'));
    abort.abort(new Error('given up'));
    await expect(hanging).rejects.toThrow('given up');
  });
});

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { McpServerConfig } from '#contract/agent';
import {
  httpServerConfig,
  type McpTestServer,
  mcpVariableReference,
  pollUntil,
  startEverythingServer,
} from '#test/support/mcp/servers';
import { createMcpServers, type McpServers } from '#tools/mcp/servers';

const neverAborted = new AbortController().signal;

/** An MCP server with one tool; `hang` handles its calls. */
function createHangingMcpServer(hang: (response: ServerResponse, request: IncomingMessage) => void): RequestListener {
  const info = { capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };
  return async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const { id, method, params = {} } = JSON.parse(await text(request));
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/call') return hang(response, request);
    const { protocolVersion } = params;
    const result = method === 'initialize' ? { protocolVersion, ...info } : { tools: [{ name: 'hang' }] };
    const type = { 'content-type': 'application/json' };
    return response.writeHead(200, type).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
}

describe('an MCP server at a URL', () => {
  let mcp: McpServers;
  let server: McpTestServer;
  beforeEach(async () => {
    mcp = createMcpServers({ variables: { PATH_PART: 'mcp' } });
    server = await startEverythingServer();
  });
  afterEach(async () => {
    await mcp.close();
    await server.stop();
  });

  const call = (
    tool: string,
    input: object,
    config: McpServerConfig = httpServerConfig(server.url),
    signal = neverAborted,
  ) => mcp.call({ name: 'everything', config }, { name: `everything__${tool}` }, input, signal);

  it('offers its tools and is called', async () => {
    const { tools, unreachable } = await mcp.loadCatalog({ everything: httpServerConfig(server.url) });
    expect(unreachable).toEqual([]);
    expect(tools.map(({ name }) => name)).toContain('everything__echo');
    expect(await call('echo', { message: 'hello' })).toBe('Echo: hello');
    const filled = httpServerConfig(server.url.replace(/mcp$/, mcpVariableReference('PATH_PART')));
    expect(await call('get-sum', { a: 1, b: 2 }, filled)).toContain('3');
  });

  it('gets a new connection when it was restarted and does not know the session', async () => {
    await call('echo', { message: 'one' });
    await server.stop();
    server = await startEverythingServer(Number(new URL(server.url).port));
    expect(await call('echo', { message: 'two' })).toBe('Echo: two');
  });

  it('is unreachable if nothing listens, and the call says so', async () => {
    await call('echo', { message: 'one' });
    await server.stop();
    await expect(call('echo', { message: 'two' })).rejects.toThrow(
      `Not run: the MCP server "everything" can't be reached: could not connect to ${server.url} (ECONNREFUSED). Continue without it, or try again later.`,
    );
    const { unreachable } = await mcp.loadCatalog({ everything: httpServerConfig(server.url) });
    expect(unreachable).toEqual([
      { server: 'everything', reason: `could not connect to ${server.url} (ECONNREFUSED)` },
    ]);
  });

  it('is reported if it is killed during a call, long before the timeout', async () => {
    await call('echo', { message: 'one' });
    const interrupted = call('trigger-long-running-operation', { duration: 60, steps: 600 }).catch((error) => error);
    expect(await call('echo', { message: 'two' })).toBe('Echo: two');
    await server.stop();
    expect((await interrupted).message).toMatch(/broke while everything__trigger-long-running-operation was running: /);
  });

  it('is given up at once', async () => {
    await call('echo', { message: 'one' });
    const abort = new AbortController();
    const longCall = call(
      'trigger-long-running-operation',
      { duration: 60 },
      httpServerConfig(server.url),
      abort.signal,
    );
    expect(await call('echo', { message: 'two' })).toBe('Echo: two');
    abort.abort(new Error('given up'));
    await expect(longCall).rejects.toThrow('given up');
  });
});

describe('a URL with something else', () => {
  let mcp: McpServers;
  let server: Server;
  beforeEach(() => {
    mcp = createMcpServers({ variables: { TOKEN: 'tok-123456' }, limits: { connectMs: 1_000 } });
  });
  afterEach(async () => {
    await mcp.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  async function serveWith(answer: RequestListener): Promise<string> {
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  }
  const failureReason = async (config: McpServerConfig) =>
    (await mcp.loadCatalog({ s: config })).unreachable[0]?.reason;

  it('gets the headers, with variables, and reports that they were rejected', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serveWith((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(401).end();
    });
    const headers = { Authorization: `Bearer ${mcpVariableReference('TOKEN')}` };
    expect(await failureReason(httpServerConfig(url, { headers }))).toBe(
      'it rejected the credentials (HTTP 401); check the headers in the agent file',
    );
    expect(seen[0]).toBe('Bearer tok-123456');
  });

  it('is reported with its status and text, without our secrets', async () => {
    const url = await serveWith((request, response) => {
      response.writeHead(500).end(`no good: ${request.headers['x-token']}`);
    });
    expect(await failureReason(httpServerConfig(url, { headers: { 'X-Token': mcpVariableReference('TOKEN') } }))).toBe(
      'it responded HTTP 500: no good: [hidden]',
    );
  });

  it('that redirects is not followed, so that our keys go nowhere else', async () => {
    const leakedTokens: string[] = [];
    const elsewhere = createServer((request, response) => {
      leakedTokens.push(String(request.headers['x-token']));
      response.end();
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const redirectUrl = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/mcp`;
    const url = await serveWith((_request, response) => response.writeHead(307, { location: redirectUrl }).end());
    expect(
      await failureReason(httpServerConfig(url, { headers: { 'X-Token': mcpVariableReference('TOKEN') } })),
    ).toEqual(expect.any(String));
    expect(leakedTokens).toEqual([]);
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it('is not waited for', async () => {
    const url = await serveWith(() => undefined);
    expect(await failureReason(httpServerConfig(url))).toBe('it did not respond in time');
  });

  it('is not a server if it responds with a page', async () => {
    const url = await serveWith((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
    });
    expect(await failureReason(httpServerConfig(url))).toContain('text/html');
  });

  it('is reported to have run in part if the connection breaks before a response', async () => {
    const url = await serveWith(createHangingMcpServer((_response, request) => void request.socket.destroy()));
    const config = httpServerConfig(url);
    await expect(mcp.call({ name: 's', config }, { name: 's__hang' }, {}, neverAborted)).rejects.toThrow(
      /^The connection to the MCP server "s" broke while s__hang was running: .* It may have partly run: /,
    );
  });

  it('has its stream closed when a call on it is cancelled', async () => {
    let closed = 0;
    const url = await serveWith(
      createHangingMcpServer((response) => {
        response.on('close', () => {
          closed += 1;
        });
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      }),
    );
    const config = httpServerConfig(url, { timeout: '1s' });
    await expect(mcp.call({ name: 's', config }, { name: 's__hang' }, {}, neverAborted)).rejects.toThrow('within 1s');
    await pollUntil(() => closed === 1);
  });
});

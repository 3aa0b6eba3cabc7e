import type { McpServerConfig } from '#contract/agent';
import { everythingServerConfig, mcpVariableReference, oddServerConfig } from '#test/support/mcp/servers';
import { createMcpServers, type McpServers } from '#tools/mcp/servers';

describe('an MCP server that is a program', () => {
  let mcp: McpServers;
  beforeAll(() => {
    mcp = createMcpServers({ variables: { WHO: 'Ada', PASSWORD: 'hunter2-hunter2' } });
  });
  afterAll(() => mcp.close());

  const neverAborted = new AbortController().signal;
  const call = (name: string, config: McpServerConfig, tool: string, input: object = {}) =>
    mcp.call({ name, config }, { name: `${name}__${tool}` }, input, neverAborted);

  it('offers its tools under its name, with what may run twice', async () => {
    const { tools, unreachable } = await mcp.loadCatalog({ everything: everythingServerConfig() });
    expect(unreachable).toEqual([]);
    expect(tools.find(({ name }) => name === 'everything__echo')).toEqual({
      name: 'everything__echo',
      serverToolName: 'echo',
      description: 'Echoes back the input string',
      inputSchema: expect.objectContaining({
        type: 'object',
        properties: { message: { type: 'string', description: 'Message to echo' } },
        required: ['message'],
      }),
      runOnce: false,
      destructive: false,
    });
    expect(tools.find(({ name }) => name === 'everything__toggle-simulated-logging')?.runOnce).toBe(true);
    expect(tools.filter(({ inputSchema }) => '$schema' in inputSchema)).toEqual([]);
  });

  it('is called with arguments, and returns text', async () => {
    const [echo, sum] = await Promise.all([
      call('everything', everythingServerConfig(), 'echo', { message: 'hello' }),
      call('everything', everythingServerConfig(), 'get-sum', { a: 2, b: 40 }),
    ]);
    expect(echo).toBe('Echo: hello');
    expect(sum).toContain('42');
  });

  it('returns images, resources and links as text', async () => {
    const image = await call('everything', everythingServerConfig(), 'get-tiny-image');
    expect(image).toMatch(/^Here's the image you requested:\n\[image: image\/png, \d+ KB\]\n/);
    const link = await call('everything', everythingServerConfig(), 'get-resource-links', { count: 1 });
    expect(link).toMatch(/\[link to Blob Resource 1: \S+ \(\S+, .+\)\]/);
    const resource = await call('everything', everythingServerConfig(), 'get-resource-reference', {
      resourceType: 'Text',
    });
    expect(resource).toMatch(/\[resource \S+\]\nResource 1: This is a plaintext resource/);
  });

  it('gets the variables that its agent names, and no others of the worker', async () => {
    process.env.NOT_FOR_SERVERS = 'secret';
    const config = everythingServerConfig({ env: { GREETING: `Hello ${mcpVariableReference('WHO')}` } });
    const env = JSON.parse(await call('greeter', config, 'get-env'));
    expect(env.GREETING).toBe('Hello Ada');
    expect(env.PATH).toBe(process.env.PATH);
    expect(env).not.toHaveProperty('NOT_FOR_SERVERS');
    delete process.env.NOT_FOR_SERVERS;
  });

  it('is started with its arguments, with variables, in its folder', async () => {
    const config = oddServerConfig({}, { cwd: '/' });
    if ('args' in config) config.args.push(`--for=${mcpVariableReference('WHO')}`);
    expect(await call('odd', config, 'args')).toBe('["--for=Ada"]');
    expect(await call('odd', config, 'cwd')).toBe('/');
  });

  it('is offered no sampling, no elicitation and no roots', async () => {
    expect((await call('odd', oddServerConfig(), 'received')).split('\n')).toContain('initialize {}');
    const { tools } = await mcp.loadCatalog({ everything: everythingServerConfig() });
    expect(tools.filter(({ name }) => /sampling|elicitation|roots/.test(name))).toEqual([]);
  });

  it('is unavailable if a variable is missing, and the error names it', async () => {
    const catalog = await mcp.loadCatalog({ odd: oddServerConfig({}, { args: [mcpVariableReference('NO_SUCH')] }) });
    expect(catalog.tools).toEqual([]);
    expect(catalog.unreachable).toEqual([{ server: 'odd', reason: expect.stringContaining('NO_SUCH') }]);
  });

  it('is unavailable if the program does not exist', async () => {
    const catalog = await mcp.loadCatalog({ gone: { ...oddServerConfig(), command: 'no-such-program' } });
    expect(catalog.unreachable).toEqual([
      { server: 'gone', reason: 'the program no-such-program could not be started (ENOENT)' },
    ]);
  });

  it('reports why it exited, with its last output, but without secrets', async () => {
    const config = oddServerConfig({
      dyingMessage: `the password ${mcpVariableReference('PASSWORD')} is wrong`,
    });
    const catalog = await mcp.loadCatalog({ dying: config, everything: everythingServerConfig() });
    expect(catalog.unreachable).toEqual([
      { server: 'dying', reason: 'it exited; last output: the password [hidden] is wrong' },
    ]);
    expect(catalog.tools.map(({ name }) => name)).toContain('everything__echo');
  });

  it('may be used only as far as its agent allows', async () => {
    const config = oddServerConfig({}, { tools: ['pid', 'no-such'] });
    const { tools } = await mcp.loadCatalog({ odd: config });
    expect(tools.map(({ name }) => name)).toEqual(['odd__pid']);
    await expect(call('odd', config, 'received')).rejects.toThrow(
      'Not run: the MCP server "odd" has no tool "odd__received" that you may use. Available tools: odd__pid.',
    );
  });
});

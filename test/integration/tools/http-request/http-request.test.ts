import { z } from 'zod';
import { AgentFile } from '#contract/agent';
import { createHttpClient } from '#infra/http-client/client';
import { closeLoopbackServers, createFakeLookup, startLoopbackServer } from '#test/support/http-client/loopback-server';
import {
  captureHttpRequest,
  createHttpRequestAgent,
  createRecordingNetwork,
  HTTP_REQUEST_SETTINGS,
  runHttpRequest,
  variableReference,
} from '#test/support/tools/http-request-fixture';
import { httpRequestTool } from '#tools/http-request/http-request';
import { builtInTools } from '#tools/registry';
import { createToolSet } from '#tools/tool-set';

afterEach(closeLoopbackServers);

const parseCall = (input: unknown) =>
  createToolSet(builtInTools).parseCall(
    { type: 'tool_use', id: 'call-1', name: 'http_request', input },
    createHttpRequestAgent(HTTP_REQUEST_SETTINGS),
  );

describe('the hosts that an agent may call', () => {
  it.each([
    'https://api.example.com/v1?q=1',
    'https://API.example.com:443/',
    'https://a.example.org/',
    'https://a.b.example.org/',
    'https://build.corp:8080/',
    'http://build.corp:8080/',
    'http://old.example/',
    'https://bücher.example/',
  ])('include %s', async (url) => {
    const { mayCall } = await captureHttpRequest({ url });
    expect(mayCall(new URL(url))).toBeNull();
  });

  it.each([
    ['https://evil.example/', /may not call evil\.example/],
    ['https://example.org/', /may not call/],
    ['https://notexample.org/', /may not call/],
    ['https://example.org.evil.example/', /may not call/],
    ['https://sub.api.example.com/', /may not call/],
    ['https://api.example.com:8443/', /may not call/],
    ['https://build.corp/', /may not call/],
    ['http://old.example:8080/', /may not call/],
    ['http://api.example.com:443/', /may not call/],
    ['http://api.example.com/', /only allows https: use https:\/\/api\.example\.com/],
    ['http://a.example.org/', /only allows https/],
  ])('do not include %s, and the error lists the allowed ones', async (url, expected) => {
    const { mayCall } = await captureHttpRequest({ url });
    const reason = mayCall(new URL(url));
    expect(reason).toMatch(expected);
    if (!/only allows https/.test(reason ?? ''))
      for (const host of HTTP_REQUEST_SETTINGS.hosts) expect(reason).toContain(host);
  });

  it('are listed for the model, which learns that responses are data', () => {
    const [tool] = createToolSet(builtInTools)
      .definitions(
        createHttpRequestAgent({
          ...HTTP_REQUEST_SETTINGS,
          headers: { 'api.example.com': { 'x-key': variableReference('KEY') } },
        }),
      )
      .filter(({ name }) => name === 'http_request');
    expect(tool?.description).toContain('api.example.com, *.example.org');
    expect(tool?.description).toMatch(/external data/);
    expect(JSON.stringify(tool)).not.toMatch(/KEY|x-key/);
    expect(tool?.input_schema).toMatchObject({ required: ['url'], additionalProperties: false });
  });

  it('are none for an agent without the tool', () => {
    const plain = { ...AgentFile.parse({ name: 'clerk', description: 'd' }), prompt: 'p' };
    expect(
      createToolSet(builtInTools)
        .definitions(plain)
        .map(({ name }) => name),
    ).not.toContain('http_request');
  });
});

describe('the settings in an agent’s file', () => {
  const check = (settings: object) => (httpRequestTool.settings as z.ZodType).safeParse(settings);

  it.each([
    [{}, /hosts/],
    [{ hosts: [] }, /at least one host.*api\.example\.com/],
    [{ hosts: ['https://api.example.com'] }, /without https:\/\//],
    [{ hosts: ['api.example.com/v1'] }, /or a path/],
    [{ hosts: ['*'] }, /api\.example\.com/],
    [{ hosts: ['a.*.com'] }, /api\.example\.com/],
    [{ hosts: ['*.127.0.0.1'] }, /api\.example\.com/],
    [{ hosts: ['a.example:0'] }, /api\.example\.com/],
    [{ hosts: ['a.example:99999'] }, /api\.example\.com/],
    [{ hosts: ['user@a.example'] }, /api\.example\.com/],
    [{ hosts: ['a.example'], header: {} }, /header/],
    [{ hosts: ['a.example'], headers: { 'b.example': { k: 'v' } } }, /b\.example is not listed in hosts/],
    [{ hosts: ['*.example'], headers: { '*.example': { k: 'v' } } }, /single host/],
    [{ hosts: ['a.example'], headers: { 'a.example': { 'no name': 'v' } } }, /not a valid header name/],
  ])('are rejected: %j', (settings, expected) => {
    const { error } = check(settings);
    expect(z.prettifyError(error as z.ZodError)).toMatch(expected);
  });

  it('take hosts, and headers by host', () => {
    const headers = {
      'api.example.com': { Authorization: `Bearer ${variableReference('KEY')}` },
      'build.corp:8080': { 'x-k': 'v' },
    };
    expect(check({ ...HTTP_REQUEST_SETTINGS, headers }).success).toBe(true);
    expect(check({ hosts: ['[::1]:80', '127.0.0.1:8080'] }).success).toBe(true);
  });
});

describe('headers in the agent’s file', () => {
  const settings = {
    ...HTTP_REQUEST_SETTINGS,
    headers: {
      'api.example.com': { Authorization: `Bearer ${variableReference('API_KEY')}` },
      'build.corp:8080': { 'x-token': variableReference('BUILD_TOKEN') },
    },
  };
  const variables = { API_KEY: 'sk-123456', BUILD_TOKEN: 'build-"1"-token' };
  const headersAt = async (url: string, isInternal = false) => {
    const { headersFor } = await captureHttpRequest({ url: 'https://api.example.com/' }, settings, variables);
    return headersFor?.(new URL(url), isInternal);
  };

  it('are sent to their host over https', async () => {
    expect(await headersAt('https://api.example.com/x')).toEqual({ Authorization: 'Bearer sk-123456' });
    expect(await headersAt('https://build.corp:8080/')).toEqual({ 'x-token': 'build-"1"-token' });
  });

  it.each(['https://a.example.org/', 'https://evil.example/', 'https://api.example.com:8443/', 'https://build.corp/'])(
    'are not sent to %s',
    async (url) => {
      expect(await headersAt(url)).toEqual({});
    },
  );

  it('are sent over http to a host that the operator lists as internal, and to no other', async () => {
    expect(await headersAt('http://build.corp:8080/', true)).toEqual({ 'x-token': 'build-"1"-token' });
    await expect(headersAt('http://build.corp:8080/')).rejects.toThrow(/only sent over https.*PARLEY_INTERNAL_HOSTS/);
  });

  it('with a variable that is not set cause an error that names it', async () => {
    const { headersFor } = await captureHttpRequest({ url: 'https://api.example.com/' }, settings);
    expect(() => headersFor?.(new URL('https://api.example.com/'), false)).toThrow(/API_KEY/);
  });

  it('are removed if a server echoes them', async () => {
    const echo = {
      body: JSON.stringify({ sent: `Bearer ${variables.API_KEY}`, and: variables.BUILD_TOKEN }),
    };
    const { network } = createRecordingNetwork({
      headers: { 'content-type': 'application/json', location: `/?key=${variables.API_KEY}` },
      url: `https://api.example.com/?key=${variables.API_KEY}`,
      body: Buffer.from(echo.body),
    });
    const result = await runHttpRequest({ url: 'https://api.example.com/' }, { settings, network, variables });
    expect(result).not.toMatch(/sk-123456|build-.*token/);
    expect(JSON.parse(result).body).toEqual({ sent: 'Bearer [hidden]', and: '[hidden]' });
  });
});

describe('a call', () => {
  it.each([
    ['GET', false],
    ['HEAD', false],
    [undefined, false],
    ['POST', true],
    ['PUT', true],
    ['PATCH', true],
    ['DELETE', true],
  ])('with %s must run at most once, and counts as destructive: %s', (method, isWrite) => {
    const call = parseCall({ url: 'https://api.example.com/', method });
    expect(call).toEqual(expect.objectContaining({ run: 'activity', runOnce: isWrite }));
    expect('destructive' in call).toBe(isWrite);
  });

  it.each([
    [{}, /url/],
    [{ url: 5 }, /url/],
    [{ url: 'https://a/', method: 'TRACE' }, /method/],
    [{ url: 'https://a/', body: 'x' }, /body: not allowed with GET or HEAD/],
    [{ url: 'https://a/', method: 'POST', body: 5 }, /body/],
    [{ url: 'https://a/', headers: { a: 1 } }, /headers\.a/],
    [{ url: 'https://a/', timeout: 5 }, /timeout/],
  ])('of %j is invalid', (input, expected) => {
    const call = parseCall(input);
    expect(call).toMatchObject({ run: 'invalid', message: expect.stringMatching(expected) });
  });

  const post = { url: 'https://api.example.com/', method: 'POST' };

  it.each([
    [{ a: [1] }, {}, '{"a":[1]}', { 'content-type': 'application/json' }],
    [[1, 2], {}, '[1,2]', { 'content-type': 'application/json' }],
    ['text', {}, 'text', { 'content-type': 'text/plain; charset=utf-8' }],
    ['a=b', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b', undefined],
  ])('with the body %j is sent with the right type', async (body, headers, sent, sentHeaders) => {
    const request = await captureHttpRequest({ ...post, body, headers });
    expect(request).toMatchObject({ method: 'POST', body: sent, headers: sentHeaders ?? headers });
    expect(Object.keys(request.headers ?? {})).toHaveLength(1);
  });

  it('without a body has no content type', async () => {
    const request = await captureHttpRequest({ url: 'https://api.example.com/' });
    expect(request).toMatchObject({ method: 'GET', headers: {}, body: undefined });
  });
});

describe('over a real connection', () => {
  it('an internal host is called if both file and operator name it, and a slow call is aborted', async () => {
    const server = await startLoopbackServer((_, response) => {
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"made": true}');
    });
    const network = createHttpClient({
      internalHosts: ['127.0.0.1', 'build.corp'],
      lookup: createFakeLookup({ 'build.corp': ['127.0.0.1'] }),
    });
    const settings = {
      hosts: [`127.0.0.1:${server.port}`, `build.corp:${server.port}`],
      headers: { [`build.corp:${server.port}`]: { 'x-token': variableReference('TOKEN') } },
    };
    const call = (url: string, rest: object = {}) =>
      runHttpRequest({ url, ...rest }, { settings, network, variables: { TOKEN: 'secret-token' } });

    const response = JSON.parse(
      await call(`http://build.corp:${server.port}/`, {
        method: 'POST',
        body: { a: 1 },
        headers: { 'X-Token': 'mine' },
      }),
    );
    expect(response).toMatchObject({ status: 201, body: { made: true } });
    expect(server.requests[0]).toMatchObject({ body: '{"a":1}', headers: { 'x-token': 'secret-token' } });
    await call(`${server.url}/`);
    expect(server.requests[1]?.headers).not.toHaveProperty('x-token');
    await expect(call('http://127.0.0.1:1/')).rejects.toThrow(`127.0.0.1:${server.port}`);
    expect(server.requests).toHaveLength(2);
  });

  it('a redirect is returned to the model, and not followed', async () => {
    const other = await startLoopbackServer((_, response) => response.end('secret'));
    const server = await startLoopbackServer((_, response) => response.writeHead(302, { location: other.url }).end());
    const network = createHttpClient({ internalHosts: ['127.0.0.1'] });
    const settings = { hosts: [`127.0.0.1:${server.port}`] };
    const result = await runHttpRequest({ url: server.url }, { settings, network });
    expect(JSON.parse(String(result))).toMatchObject({ status: 302, headers: { location: other.url } });
    expect(other.requests).toEqual([]);
  });

  it('an internal host that only the file names is not called', async () => {
    const server = await startLoopbackServer((_, response) => response.end('secret'));
    const settings = { hosts: [`127.0.0.1:${server.port}`] };
    const request = runHttpRequest({ url: server.url }, { settings, network: createHttpClient({ internalHosts: [] }) });
    await expect(request).rejects.toThrow(/PARLEY_INTERNAL_HOSTS/);
    expect(server.requests).toEqual([]);
  });
});

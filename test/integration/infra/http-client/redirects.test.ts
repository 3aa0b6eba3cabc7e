import { resolveRedirect } from '#infra/http-client/redirect';
import {
  closeLoopbackServers,
  createFakeLookup,
  type LoopbackServer,
  readRefusalMessage,
  sendTestRequest,
  startLoopbackServer,
} from '#test/support/http-client/loopback-server';

afterEach(closeLoopbackServers);

/** Redirects `/from` to the given location, and answers everything else. */
function startRedirectingServer(status: number, locationOf: () => string): Promise<LoopbackServer> {
  return startLoopbackServer((request, response) => {
    if (request.url === '/from') response.writeHead(status, { location: locationOf() }).end('moved');
    else response.end('arrived');
  });
}

const HEADERS = { Authorization: 'Bearer a', Cookie: 'b=c', 'X-Api-Key': 'd', Accept: 'text/plain' };

describe('a redirect', () => {
  it('is followed, and the response says where it came from', async () => {
    const server = await startRedirectingServer(302, () => '/to?x=1');
    const { status, url, body } = await sendTestRequest(`${server.url}/from`);
    expect([status, url, body.toString()]).toEqual([200, `${server.url}/to?x=1`, 'arrived']);
  });

  it.each([
    [301, 'GET', 'GET'],
    [301, 'POST', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'POST', 'GET'],
    [302, 'DELETE', 'DELETE'],
    [302, 'HEAD', 'HEAD'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'PATCH', 'PATCH'],
  ])('with %i turns %s into %s', async (status, method, expectedMethod) => {
    const server = await startRedirectingServer(status, () => '/to');
    const hasBody = !['GET', 'HEAD', 'DELETE'].includes(method);
    const content = hasBody ? { body: 'text', headers: { 'content-type': 'text/plain' } } : {};
    await sendTestRequest(`${server.url}/from`, { method, ...content });
    const keepsBody = hasBody && expectedMethod === method;
    expect(server.requests[1]).toMatchObject({ method: expectedMethod, body: keepsBody ? 'text' : '' });
    expect(server.requests[1]?.headers['content-type']).toBe(keepsBody ? 'text/plain' : undefined);
  });

  it.each([300, 304])('with %i is not followed, but returned', async (status) => {
    const server = await startRedirectingServer(status, () => '/to');
    expect(await sendTestRequest(`${server.url}/from`)).toMatchObject({
      status,
      headers: { location: '/to' },
    });
  });

  it('to an internal address is rejected', async () => {
    const server = await startRedirectingServer(302, () => 'http://169.254.169.254/latest/meta-data/');
    expect(await readRefusalMessage(sendTestRequest(`${server.url}/from`))).toMatch(
      /^169\.254\.169\.254 is not on the public/,
    );
  });

  it('to a name with an internal address is rejected', async () => {
    const internalServer = await startLoopbackServer((_, response) => response.end('secret'), { host: '127.0.0.2' });
    const server = await startRedirectingServer(307, () => `http://inside.example:${internalServer.port}/`);
    const lookup = createFakeLookup({ 'inside.example': ['127.0.0.2'] });
    expect(await readRefusalMessage(sendTestRequest(`${server.url}/from`, {}, { lookup }))).toMatch(
      /not on the public/,
    );
    expect(internalServer.requests).toEqual([]);
  });

  it.each([
    ['file:///etc/passwd', /redirects to a URL that is not followed.*file:/],
    ['http://user:pass@127.0.0.1/', /redirects to a URL that is not followed.*password/],
    ['http://[::1', /redirects to a URL that is not followed.*Not a complete URL/],
  ])('to %s is rejected', async (location, expectedMessage) => {
    const server = await startRedirectingServer(302, () => location);
    expect(await readRefusalMessage(sendTestRequest(`${server.url}/from`))).toMatch(expectedMessage);
  });

  it('is checked like a first request, hop by hop', async () => {
    const otherServer = await startLoopbackServer((_, response) => response.end('not to be had'));
    const server = await startRedirectingServer(302, () => `${otherServer.url}/path?token=t`);
    const checkedUrls: string[] = [];
    const mayCall = (url: URL) => {
      checkedUrls.push(url.href);
      return url.port === String(otherServer.port) ? 'Only that other host may be called.' : null;
    };
    const message = await readRefusalMessage(sendTestRequest(`${server.url}/from`, { mayCall }));
    expect(message).toBe(
      `127.0.0.1:${server.port} redirects to ${otherServer.url}. Only that other host may be called.`,
    );
    expect(checkedUrls).toEqual([`${server.url}/from`, `${otherServer.url}/path?token=t`]);
    expect(otherServer.requests).toEqual([]);
  });

  it('in a circle ends after five', async () => {
    const server = await startLoopbackServer((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(await readRefusalMessage(sendTestRequest(server.url))).toMatch(/more than 5/);
    expect(server.requests).toHaveLength(6);
  });

  it('is followed five times', async () => {
    const server = await startLoopbackServer((request, response) => {
      const redirectsLeft = Number(request.url?.slice(1));
      if (redirectsLeft > 0) response.writeHead(302, { location: `/${redirectsLeft - 1}` }).end();
      else response.end('arrived');
    });
    expect((await sendTestRequest(`${server.url}/5`)).body.toString()).toBe('arrived');
  });

  it('never leads from https to http', () => {
    const hop = { url: new URL('https://a.example/'), method: 'GET', headers: {} };
    expect(() => resolveRedirect(hop, 302, 'http://a.example/')).toThrow(/from https to http/);
    expect(resolveRedirect(hop, 302, '//b.example/').url.href).toBe('https://b.example/');
    expect(resolveRedirect({ ...hop, url: new URL('http://a.example/') }, 302, 'https://a.example/').url.href).toBe(
      'https://a.example/',
    );
  });

  it('with an endless body is followed at once', async () => {
    const server = await startLoopbackServer((request, response) => {
      if (request.url === '/from') response.writeHead(302, { location: '/to' }).write('and then');
      else response.end('arrived');
    });
    expect((await sendTestRequest(`${server.url}/from`)).body.toString()).toBe('arrived');
  });
});

describe('a header', () => {
  it('is kept within one origin', async () => {
    const server = await startRedirectingServer(302, () => '/to');
    await sendTestRequest(`${server.url}/from`, { headers: HEADERS });
    expect(server.requests[1]?.headers).toMatchObject({
      authorization: 'Bearer a',
      cookie: 'b=c',
      'x-api-key': 'd',
    });
  });

  it('that may be a key is not sent to another origin, nor on the way back', async () => {
    const otherServer = await startLoopbackServer((_, response) =>
      response.writeHead(302, { location: `${server.url}/to` }).end(),
    );
    const server: LoopbackServer = await startRedirectingServer(302, () => otherServer.url);
    await sendTestRequest(`${server.url}/from`, { headers: HEADERS });
    for (const request of [otherServer.requests[0], server.requests[1]]) {
      expect(request?.headers.accept).toBe('text/plain');
      for (const name of ['authorization', 'cookie', 'x-api-key']) expect(request?.headers).not.toHaveProperty(name);
    }
  });

  it("for one host is sent to that host only, in place of the caller's", async () => {
    const otherServer = await startLoopbackServer((_, response) => response.end('arrived'));
    const server = await startRedirectingServer(307, () => otherServer.url);
    const headersFor = (url: URL, isInternal: boolean): Record<string, string> =>
      url.port === String(server.port) ? { Authorization: `key ${isInternal}`, 'User-Agent': 'key' } : {};
    await sendTestRequest(`${server.url}/from`, { headers: { authorization: 'mine' }, headersFor });
    expect(server.requests[0]?.headers.authorization).toBe('key true');
    expect(server.requests[0]?.headers['user-agent']).toBe('key');
    expect(otherServer.requests[0]?.headers['user-agent']).toBe('parley');
    expect(otherServer.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([
    'Host',
    'Connection',
    'Content-Length',
    'Transfer-Encoding',
    'Keep-Alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Proxy-Authorization',
    'Proxy-Connection',
  ])('of the connection is rejected: %s', async (name) => {
    const server = await startLoopbackServer((_, response) => response.end());
    const message = await readRefusalMessage(sendTestRequest(server.url, { headers: { [name]: 'secret' } }));
    expect(message).toContain(name.toLowerCase());
    expect(
      await readRefusalMessage(sendTestRequest(server.url, { headersFor: () => ({ [name]: 'secret' }) })),
    ).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });

  it.each([
    [{ 'x-a': 'secret\r\nhost: evil' }],
    [{ 'x-a': 'secret\0' }],
    [{ 'x-a': 'secret ☃' }],
    [{ 'x a': '1' }],
    [{ '': '1' }],
    [{ 'x-a:': '1' }],
  ])('that is invalid is rejected: %j', async (headers) => {
    const server = await startLoopbackServer((_, response) => response.end());
    const message = await readRefusalMessage(sendTestRequest(server.url, { headers }));
    expect(message).toMatch(/header/);
    expect(message).not.toContain('secret');
    expect(server.requests).toEqual([]);
  });

  it('is not stored: a cookie that was set is not sent again', async () => {
    const server = await startLoopbackServer((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2']);
      if (request.url === '/from') response.writeHead(302, { location: '/to' });
      response.end();
    });
    const { headers } = await sendTestRequest(`${server.url}/from`);
    expect(headers['set-cookie']).toBe('a=1, b=2');
    expect(server.requests[1]?.headers).not.toHaveProperty('cookie');
  });
});

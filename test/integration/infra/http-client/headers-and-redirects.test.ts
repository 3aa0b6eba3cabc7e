import {
  closeLoopbackServers,
  readRefusalMessage,
  sendTestRequest,
  startLoopbackServer,
} from '#test/support/http-client/loopback-server';

afterEach(closeLoopbackServers);

it.each([301, 302, 303, 307, 308])('a redirect with %i is returned, and not followed', async (status) => {
  const other = await startLoopbackServer((_, response) => response.end('not to be had'));
  const server = await startLoopbackServer((_, response) =>
    response.writeHead(status, { location: other.url }).end('moved'),
  );
  const response = await sendTestRequest(server.url, { headers: { authorization: 'Bearer a' } });
  expect(response).toMatchObject({ status, url: `${server.url}/`, headers: { location: other.url } });
  expect(response.body.toString()).toBe('moved');
  expect([server.requests.length, other.requests.length]).toEqual([1, 0]);
});

describe('a header', () => {
  it("for the host is sent in place of the caller's", async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    const headersFor = (_url: URL, isInternal: boolean) => ({
      Authorization: `key ${isInternal}`,
      'User-Agent': 'key',
    });
    await sendTestRequest(server.url, { headers: { authorization: 'mine' }, headersFor });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'key true', 'user-agent': 'key' });
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
});

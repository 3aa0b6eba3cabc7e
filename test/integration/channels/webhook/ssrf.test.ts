import { createServer, type Server } from 'node:net';
import { ApiError } from '#api/middleware/errors';
import { resolveCallbackUrl } from '#api/services/start-conversation';
import type { ChannelError } from '#channels/channel';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { createWebhookSender } from '#channels/webhook/sender';
import { StartBody } from '#contract/requests';
import { createHttpClient, type SafeHttpClient } from '#infra/http-client/client';
import { closeLoopbackServers, createFakeLookup, startLoopbackServer } from '#test/support/http-client/loopback-server';
import { webhookNotification } from '#test/support/webhook/webhook-samples';

afterEach(closeLoopbackServers);

const FAKE_LOOKUP = createFakeLookup({
  localhost: ['127.0.0.1'],
  'private.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': ['93.184.215.14', '192.168.0.1'],
  'mixed6.example': ['93.184.215.14', 'fd00::1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a00:1'],
  'rebound.example': ['127.0.0.1'],
  'wiki.corp': ['10.1.2.3'],
});
const createStrictClient = (internal: string[] = []) =>
  createHttpClient({ internalHosts: internal, lookup: FAKE_LOOKUP });

/** The error for a start with this URL; null if it is accepted. */
async function issueAtStart(callbackUrl: string, httpClient: SafeHttpClient): Promise<string | null> {
  const parsed = StartBody.safeParse({ message: 'Hello', callbackUrl });
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path}: ${message}`).join();
  const result = await resolveCallbackUrl({ httpClient }, { name: 'a' }, callbackUrl).catch((error) => error);
  if (!(result instanceof ApiError)) return null;
  const [issue] = result.extensions.errors ?? [];
  return `${issue?.path}: ${issue?.message}`;
}

/** The error of the delivery, if a conversation has that URL anyway. */
async function errorAtDelivery(url: string, httpClient: SafeHttpClient): Promise<ChannelError> {
  const channel = createWebhookSender({
    endpointSecrets: [],
    secret: 'secret',
    httpClient,
    timeoutMs: 2_000,
  });
  return channel.send(webhookNotification(url)).then(
    () => {
      throw new Error('it was delivered');
    },
    (error) => error,
  );
}

const INSIDE = /not on the public internet/;
const NO_HTTPS = /must use https/;
const SCHEME = /with http:\/\/ or https:\/\/|must use https:/;

/** Each URL, and the error at the start and at each delivery. */
const TARGETS: [what: string, url: string, said: RegExp][] = [
  ['loopback', 'https://127.0.0.1/', INSIDE],
  ['loopback by plain http', 'http://127.0.0.1/', NO_HTTPS],
  ['loopback in short form', 'https://127.1/', INSIDE],
  ['loopback as one number', 'https://2130706433/', INSIDE],
  ['loopback in octal', 'https://0177.0.0.1/', INSIDE],
  ['loopback in hex', 'https://0x7f.0.0.1/', INSIDE],
  ['loopback with an odd port', 'https://127.0.0.1:8443/', INSIDE],
  ['this host', 'https://0.0.0.0/', INSIDE],
  ['a private network, 10/8', 'https://10.0.0.1/', INSIDE],
  ['a private network, 172.16/12', 'https://172.16.0.1/', INSIDE],
  ['a private network, 192.168/16', 'https://192.168.1.1/', INSIDE],
  ['carrier-grade NAT', 'https://100.64.0.1/', INSIDE],
  ["a cloud's metadata service", 'https://169.254.169.254/latest/meta-data/', INSIDE],
  ['a metadata service by plain http', 'http://169.254.169.254/latest/meta-data/', NO_HTTPS],
  ['a metadata service as one number', 'https://2852039166/', INSIDE],
  ['IPv6 loopback', 'https://[::1]/', INSIDE],
  ['IPv6 unspecified', 'https://[::]/', INSIDE],
  ['IPv4-mapped', 'https://[::ffff:127.0.0.1]/', INSIDE],
  ['IPv4-mapped metadata in hex', 'https://[::ffff:a9fe:a9fe]/', INSIDE],
  ['IPv6 unique local', 'https://[fd00::1]/', INSIDE],
  ['IPv6 link-local', 'https://[fe80::1]/', INSIDE],
  ['NAT64', 'https://[64:ff9b::7f00:1]/', INSIDE],
  ['6to4', 'https://[2002:7f00:1::]/', INSIDE],
  ['localhost', 'https://localhost/', INSIDE],
  ['localhost with a trailing dot', 'https://localhost./', INSIDE],
  ['localhost in upper case', 'HTTPS://LOCALHOST/', INSIDE],
  ['a name with an internal address', 'https://private.example/', INSIDE],
  ['a name with a metadata address', 'https://metadata.example/', INSIDE],
  ['a name with one public and one private address', 'https://mixed.example/', INSIDE],
  ['the same with IPv6', 'https://mixed6.example/', INSIDE],
  ['a name with an IPv4-mapped address', 'https://mapped.example/', INSIDE],
  ['a name with a NAT64 address', 'https://nat64.example/', INSIDE],
  ['user and password', 'https://user:hunter2@93.184.215.14/', /user name or password/],
  ['a host that looks like another', 'https://hooks.example.com@127.0.0.1/', /user name or password/],
  ['plain http to a public address', 'http://93.184.215.14/', NO_HTTPS],
  ['a file', 'file:///etc/passwd', SCHEME],
  ['FTP', 'ftp://93.184.215.14/', SCHEME],
  ['Gopher', 'gopher://127.0.0.1:6379/_INFO', SCHEME],
  ['a script', 'javascript:alert(1)', SCHEME],
  ['a web socket', 'wss://93.184.215.14/', SCHEME],
];

/** A Parley without keys, with a separate Temporal server. */
const LOCAL_ONLY = { apiKeys: undefined, internalHosts: [], temporal: { address: '127.0.0.1:7233' } };

describe('a receiver that is not allowed', () => {
  it.each(TARGETS)('is rejected at the start and at delivery: %s, %s', async (_what, url, expected) => {
    const issue = await issueAtStart(url, createStrictClient());
    expect(issue).toMatch(/^callbackUrl: /);
    expect(issue).toMatch(expected);
    const { message } = await errorAtDelivery(url, createStrictClient());
    expect(message).toMatch(expected);
    expect(`${issue} ${message}`).not.toContain('hunter2');
  });

  it('gets no connection', async () => {
    const server = await startLoopbackServer((_, response) => response.end());
    for (const url of [server.url, `https://127.0.0.1:${server.port}`, `https://rebound.example:${server.port}`])
      await errorAtDelivery(url, createStrictClient());
    expect(server.requests).toEqual([]);
  });
});

describe('a receiver that is allowed', () => {
  it.each([
    ['a public address', 'https://93.184.215.14/hooks', []],
    ['a public address at an unusual port', 'https://93.184.215.14:8443/hooks', []],
    ['a name that does not resolve yet', 'https://soon.example/hooks', []],
    ['an internal host that is allowed', 'https://wiki.corp/hooks', ['wiki.corp']],
    ['the same by plain http', 'http://wiki.corp/hooks', ['wiki.corp']],
    ['an internal address that is allowed', 'http://10.1.2.3:8080/', ['10.0.0.0/8']],
    ['this machine, without keys', 'http://localhost:4000/', listAllowedInternalHosts(LOCAL_ONLY)],
    ['the same with a trailing dot', 'http://localhost.:4000/', listAllowedInternalHosts(LOCAL_ONLY)],
    ['the same by IPv6', 'http://[::1]:4000/', listAllowedInternalHosts(LOCAL_ONLY)],
  ])('is accepted at the start: %s', async (_what, url, internal) => {
    expect(await issueAtStart(url, createStrictClient(internal))).toBeNull();
  });

  it.each([
    ['another port of a host that is allowed at one port', 'http://wiki.corp:81/', ['wiki.corp:80'], NO_HTTPS],
    [
      'a name that only resolves to an allowed address, by plain http',
      'http://private.example/',
      ['10.0.0.0/8'],
      NO_HTTPS,
    ],
    [
      'this machine, with keys',
      'http://localhost/',
      listAllowedInternalHosts({ ...LOCAL_ONLY, apiKeys: [] }),
      NO_HTTPS,
    ],
    [
      'this machine, with Temporal elsewhere',
      'http://localhost/',
      listAllowedInternalHosts({ ...LOCAL_ONLY, temporal: { address: 'temporal.example.com:7233' } }),
      NO_HTTPS,
    ],
    ['another internal host, without keys', 'https://10.0.0.1/', listAllowedInternalHosts(LOCAL_ONLY), INSIDE],
  ])('does not include %s', async (_what, url, internal, expected) => {
    expect(await issueAtStart(url, createStrictClient(internal))).toMatch(expected);
    expect((await errorAtDelivery(url, createStrictClient(internal))).message).toMatch(expected);
  });

  it('can be internal, over plain http', async () => {
    const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
    const httpClient = createHttpClient({
      internalHosts: ['wiki.corp'],
      lookup: createFakeLookup({ 'wiki.corp': ['127.0.0.1'] }),
    });
    const channel = createWebhookSender({ endpointSecrets: [], secret: 'secret', httpClient });
    await channel.send(webhookNotification(`http://wiki.corp:${server.port}/`));
    expect(server.requests).toHaveLength(1);
  });

  it('does not delay a start if its name resolves slowly', async () => {
    jest.useFakeTimers();
    const httpClient = createHttpClient({ internalHosts: [], lookup: () => new Promise(() => undefined) });
    const issue = issueAtStart('https://slow.example/', httpClient);
    await jest.advanceTimersByTimeAsync(3_000);
    jest.useRealTimers();
    expect(await issue).toBeNull();
  });
});

describe('a host name whose address changes', () => {
  const startServer = async (host: string, port = 0): Promise<{ server: Server; count(): number; port: number }> => {
    let count = 0;
    const server = createServer((socket) => {
      count += 1;
      socket.on('error', () => undefined).end();
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return { server, count: () => count, port: (server.address() as { port: number }).port };
  };

  it('between start and delivery is rejected, without a connection', async () => {
    const secret = await startServer('127.0.0.1');
    const answers = ['93.184.215.14', '127.0.0.1'];
    const lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const httpClient = createHttpClient({ internalHosts: [], lookup });
    const url = `https://rebinding.example:${secret.port}/`;
    expect(await issueAtStart(url, httpClient)).toBeNull();
    const { message, isPermanent } = await errorAtDelivery(url, httpClient);
    expect([message, isPermanent]).toEqual([expect.stringMatching(INSIDE), false]);
    expect([answers, secret.count()]).toEqual([[], 0]);
    secret.server.close();
  });

  it('between check and connection is connected to at the checked address', async () => {
    const allowed = await startServer('127.0.0.1');
    const secret = await startServer('127.0.0.2', allowed.port);
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
    const lookup = async () => [{ address: answers.shift() ?? '', family: 4 }];
    const httpClient = createHttpClient({ internalHosts: ['127.0.0.1'], lookup });
    await errorAtDelivery(`https://rebinding.example:${allowed.port}/`, httpClient);
    expect([allowed.count(), secret.count(), answers]).toEqual([1, 0, ['127.0.0.2', '127.0.0.2']]);
    for (const { server } of [allowed, secret]) server.close();
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('of %i to an internal or any other host is never followed', async (status) => {
    const inside = await startLoopbackServer((_, response) => response.end('secret'));
    const server = await startLoopbackServer((_, response) =>
      response.writeHead(status, { location: inside.url }).end(),
    );
    const { message, isPermanent } = await errorAtDelivery(server.url, createStrictClient(['127.0.0.1']));
    expect(message).toBe(
      `127.0.0.1:${server.port} responded ${status}. Redirects are not followed: use the final URL.`,
    );
    expect([isPermanent, inside.requests]).toEqual([false, []]);
  });
});

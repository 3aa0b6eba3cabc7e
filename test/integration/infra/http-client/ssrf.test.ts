import { createInternalHosts } from '#infra/http-client/internal-hosts';
import { createGuardedLookup } from '#infra/http-client/ssrf-guard';
import {
  closeLoopbackServers,
  createFakeLookup,
  readRefusalMessage,
  sendTestRequest,
  startLoopbackServer,
} from '#test/support/http-client/loopback-server';
import { ssrfAddressTargets, ssrfNameTargets, ssrfSpellingTargets } from '#test/support/http-client/ssrf-targets';

afterEach(closeLoopbackServers);

const NO_INTERNAL_HOSTS = { internalHosts: [] };

describe('an internal address', () => {
  it.each(ssrfAddressTargets)('is rejected: %s, %s', async (_case, url) => {
    const message = await readRefusalMessage(sendTestRequest(url, {}, NO_INTERNAL_HOSTS));
    expect(message).toMatch(/not on the public internet.*PARLEY_INTERNAL_HOSTS/);
  });

  it.each(ssrfAddressTargets)('is rejected with https and a port: %s, %s', async (_case, url) => {
    const withPort = new URL(url);
    withPort.port = '8443';
    const message = await readRefusalMessage(
      sendTestRequest(withPort.href.replace('http:', 'https:'), {}, NO_INTERNAL_HOSTS),
    );
    expect(message).toMatch(/not on the public internet/);
  });

  it('gets no connection', async () => {
    const server = await startLoopbackServer((_, response) => response.end('secret'));
    await readRefusalMessage(sendTestRequest(server.url, {}, NO_INTERNAL_HOSTS));
    await readRefusalMessage(
      sendTestRequest(`http://inside.example:${server.port}`, {}, { ...NO_INTERNAL_HOSTS, lookup: internalLookup }),
    );
    expect(server.requests).toEqual([]);
  });
  const internalLookup = createFakeLookup({ 'inside.example': ['127.0.0.1'] });
});

describe('a host name that resolves to', () => {
  it.each(ssrfNameTargets)('%s is rejected: %s', async (_case, hostname, addresses) => {
    const normalized = hostname.toLowerCase().replace(/\.$/, '');
    const settings = { ...NO_INTERNAL_HOSTS, lookup: createFakeLookup({ [normalized]: addresses }) };
    const message = await readRefusalMessage(sendTestRequest(`http://${hostname}/`, {}, settings));
    expect(message).toMatch(addresses.length > 0 ? /not on the public internet/ : /has no address/);
    for (const address of addresses) if (!hostname.includes(address)) expect(message).not.toContain(address);
  });

  it('one allowed and one forbidden address is rejected, in either order', async () => {
    const server = await startLoopbackServer((_, response) => response.end('allowed'));
    for (const addresses of [
      ['127.0.0.1', '127.0.0.2'],
      ['127.0.0.2', '127.0.0.1'],
    ]) {
      const lookup = createFakeLookup({ 'mixed.example': addresses });
      const request = sendTestRequest(`http://mixed.example:${server.port}/`, {}, { lookup });
      expect(await readRefusalMessage(request)).toMatch(/not on the public internet/);
    }
    expect(server.requests).toEqual([]);
  });

  it('public addresses is connected to at exactly these addresses', async () => {
    const guard = {
      internalHosts: createInternalHosts([]),
      lookup: createFakeLookup({ 'a.example': ['93.184.215.14', '2606:4700::1'] }),
    };
    const lookup = createGuardedLookup(guard, { hostname: 'a.example', port: '443' });
    const resolved = await new Promise((resolve) => {
      lookup('a.example', { all: true }, (error, addresses) => resolve({ error, addresses }));
    });
    expect(resolved).toEqual({
      error: null,
      addresses: [
        { address: '93.184.215.14', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
    });
  });

  it('nothing is reported as not found', async () => {
    expect(await readRefusalMessage(sendTestRequest('https://nowhere.example/'))).toBe(
      'The host nowhere.example was not found.',
    );
  });
});

describe('a URL that is', () => {
  it.each(ssrfSpellingTargets)('%s is rejected: %s', async (_case, url, expectedMessage) => {
    expect(await readRefusalMessage(sendTestRequest(url))).toMatch(expectedMessage);
  });

  it('rejected for its password does not repeat it', async () => {
    expect(await readRefusalMessage(sendTestRequest('https://:hunter2@example.com/'))).not.toContain('hunter2');
  });
});

describe('a host name whose address changes', () => {
  it('is connected to where it was checked, and checked again for each request', async () => {
    const allowedServer = await startLoopbackServer((_, response) => response.end('allowed'));
    const internalServer = await startLoopbackServer((_, response) => response.end('secret'), {
      host: '127.0.0.2',
      port: allowedServer.port,
    });
    const answers = ['127.0.0.1', '127.0.0.2', '127.0.0.2'];
    let lookupCount = 0;
    const lookup = async () => [{ address: answers[lookupCount++] ?? '', family: 4 }];
    const url = `http://rebinding.example:${allowedServer.port}/`;

    const { body } = await sendTestRequest(url, {}, { lookup });
    expect([body.toString(), lookupCount]).toEqual(['allowed', 1]);
    expect(await readRefusalMessage(sendTestRequest(url, {}, { lookup }))).toMatch(/not on the public internet/);
    expect(internalServer.requests).toEqual([]);
  });
});

import { readConfig } from '#channels/read-config';
import { createInternalHosts, parseInternalHost } from '#infra/http-client/internal-hosts';
import {
  closeLoopbackServers,
  createFakeLookup,
  readRefusalMessage,
  sendTestRequest,
  startLoopbackServer,
} from '#test/support/http-client/loopback-server';

afterEach(closeLoopbackServers);

const allows = (entry: string, hostname: string, port: string, address = hostname) =>
  createInternalHosts([entry]).allows({ hostname, port }, address);

describe('an allowed internal host', () => {
  it.each([
    ['wiki.corp', 'wiki.corp', '80', '10.0.0.1'],
    ['WIKI.corp.', 'wiki.corp', '443', '127.0.0.1'],
    ['bücher.corp', 'xn--bcher-kva.corp', '443', '10.0.0.1'],
    ['build:8080', 'build', '8080', '10.0.0.1'],
    ['build:80', 'build', '80', '10.0.0.1'],
    ['10.1.2.3', '10.1.2.3', '80', '10.1.2.3'],
    ['10.1.2.3', 'any.name', '80', '10.1.2.3'],
    ['10.1.2.3:8080', 'any.name', '8080', '10.1.2.3'],
    ['10.0.0.0/8', 'any.name', '80', '10.255.1.1'],
    ['fd00::1', 'fd00::1', '80', 'fd00::1'],
    ['[fd00::1]:8080', 'fd00::1', '8080', 'fd00::1'],
    ['fd00::/8', 'any.name', '80', 'fd12::1'],
  ])('by %s is %s at port %s on %s', (entry, hostname, port, address) => {
    expect(allows(entry, hostname, port, address)).toBe(true);
  });

  it.each([
    ['wiki.corp', 'evil.wiki.corp', '80', '10.0.0.1'],
    ['wiki.corp', 'wiki.corp.evil.example', '80', '10.0.0.1'],
    ['build:8080', 'build', '80', '10.0.0.1'],
    ['10.1.2.3', 'any.name', '80', '10.1.2.4'],
    ['10.1.2.3:8080', '10.1.2.3', '80', '10.1.2.3'],
    ['10.0.0.0/8', 'any.name', '80', '11.0.0.1'],
    ['10.0.0.0/8', 'any.name', '80', '::ffff:10.0.0.1'],
    ['127.0.0.1', '::1', '80', '::1'],
    ['fd00::/8', 'any.name', '80', '10.0.0.1'],
  ])('by %s is not %s at port %s on %s', (entry, hostname, port, address) => {
    expect(allows(entry, hostname, port, address)).toBe(false);
  });

  it('is reached by name, whatever its address', async () => {
    const server = await startLoopbackServer((_, response) => response.end('wiki'));
    const lookup = createFakeLookup({ 'wiki.corp': ['127.0.0.1'], 'other.corp': ['127.0.0.1'] });
    const settings = { internalHosts: ['wiki.corp'], lookup };
    const { body } = await sendTestRequest(`http://wiki.corp:${server.port}/`, {}, settings);
    expect(body.toString()).toBe('wiki');
    expect(await readRefusalMessage(sendTestRequest(`http://other.corp:${server.port}/`, {}, settings))).toMatch(
      /not on the public/,
    );
    expect(await readRefusalMessage(sendTestRequest(server.url, {}, settings))).toMatch(/not on the public/);
  });

  it('is reached by its network under any name', async () => {
    const server = await startLoopbackServer((_, response) => response.end('inside'));
    const settings = { internalHosts: ['127.0.0.0/8'], lookup: createFakeLookup({ any: ['127.0.0.1'] }) };
    expect((await sendTestRequest(`http://any:${server.port}/`, {}, settings)).body.toString()).toBe('inside');
    expect((await sendTestRequest(server.url, {}, settings)).body.toString()).toBe('inside');
  });
});

describe('PARLEY_INTERNAL_HOSTS', () => {
  it('is a list separated by commas or spaces', () => {
    const { internalHosts } = readConfig({
      PARLEY_INTERNAL_HOSTS: 'wiki.corp, 10.0.0.0/8  [fd00::1]:80',
    });
    expect(internalHosts).toEqual(['wiki.corp', '10.0.0.0/8', '[fd00::1]:80']);
  });

  it.each([
    '*.corp',
    'http://wiki.corp',
    'wiki.corp/path',
    'user@wiki.corp',
    'wiki.corp:0',
    'wiki.corp:70000',
    'wiki.corp:x',
    '10.0.0.0/33',
    '10/8',
    '10.0.0.0/',
    'fd00::/129',
    'fe80::1%eth0',
    '1.2.3.4.5',
    '[fd00::1',
    ':80',
    '.',
  ])('rejects %s with an error', (entry) => {
    expect(parseInternalHost(entry)).toBeUndefined();
    const readInvalidConfig = () => readConfig({ PARLEY_INTERNAL_HOSTS: `wiki.corp,${entry}` });
    expect(readInvalidConfig).toThrow(`PARLEY_INTERNAL_HOSTS: "${entry}" is not a host or network`);
    expect(() => createInternalHosts([entry])).toThrow(entry);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const folder = mkdtempSync(path.join(tmpdir(), 'parley-callback-'));
const writeAgent = (name: string, frontMatter: string) =>
  writeFileSync(
    path.join(folder, `${name}.md`),
    `---\nname: ${name}\ndescription: For a test.\ntrigger: { message: "{{ . }}" }\n${frontMatter}\n---\nBe a test.\n`,
  );
writeAgent('plain', '');
writeAgent('telling', 'callbackUrl: https://93.184.215.14/hooks');
writeAgent('inside', 'callbackUrl: https://10.0.0.1/hooks');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOT_PUBLIC = /not on the public internet.*PARLEY_INTERNAL_HOSTS/;
const NEEDS_HTTPS = /must use https.*PARLEY_INTERNAL_HOSTS/;

/** Only what depends on Parley's own wiring; the channel's tests cover every other target. */
const REFUSED: [what: string, url: unknown, expectedMessage: RegExp][] = [
  ['this machine', 'https://127.0.0.1/', NOT_PUBLIC],
  ['this machine by name', 'https://localhost/', NOT_PUBLIC],
  ['this machine by name, with a trailing dot', 'https://localhost./', NOT_PUBLIC],
  ['this machine by IPv6', 'https://[::1]/', NOT_PUBLIC],
  ['this machine by plain http', 'http://127.0.0.1/', NEEDS_HTTPS],
  ["a cloud's metadata service", 'https://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
  ['a metadata service as one number', 'https://2852039166/', NOT_PUBLIC],
  ['a private network', 'https://192.168.0.1:8443/', NOT_PUBLIC],
  ['an allowed host at another port', 'http://10.1.2.3:81/', NEEDS_HTTPS],
  ['plain http to a public address', 'http://93.184.215.14/', NEEDS_HTTPS],
  ['user and password', 'https://me:hunter2@93.184.215.14/', /user name or password/],
  ['a file', 'file:///etc/passwd', /http:\/\/ or https:\/\//],
  ['Gopher', 'gopher://127.0.0.1:6379/', /http:\/\/ or https:\/\//],
  ['an empty URL', 'hooks.example.com', /http:\/\/ or https:\/\//],
  ['a number', 7, /http:\/\/ or https:\/\//],
];

describe('a callback with keys set', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      startsWorker: false,
      keys: { ann: ['admin'] },
      env: { PARLEY_AGENTS: folder, PARLEY_INTERNAL_HOSTS: '10.1.2.3:80' },
    });
  });
  afterAll(() => p.stop());
  const start = (body: object) =>
    p.call<Problem>('POST', '/v1/conversations', {
      agent: 'plain',
      message: 'Hello',
      ...body,
    });

  it.each(REFUSED)('is rejected by name: %s', async (_what, callbackUrl, expectedMessage) => {
    const { status, body } = await start({ callbackUrl });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toEqual([{ path: 'callbackUrl', message: expect.stringMatching(expectedMessage) }]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  it.each([
    ['a public address', 'https://93.184.215.14:8443/hooks?token=x'],
    ['an allowed internal host', 'http://10.1.2.3/hooks'],
    ['a name that does not resolve yet', 'https://no-such-host.invalid/hooks'],
  ])('is allowed: %s', async (_what, callbackUrl) => {
    expect((await start({ callbackUrl })).status).toBe(201);
  });

  it("in the agent's file follows the same rules, for every caller", async () => {
    expect((await start({ agent: 'telling' })).status).toBe(201);
    expect((await p.call('POST', '/v1/hooks/telling', {})).status).toBe(202);
    for (const { status, body } of [
      await start({ agent: 'inside' }),
      await p.call<Problem>('POST', '/v1/hooks/inside', {}),
    ]) {
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toEqual([{ path: 'callbackUrl', message: expect.stringMatching(NOT_PUBLIC) }]);
      expect(body.detail).toContain('callbackUrl of agent inside');
    }
  });

  it("in the start request overrides the agent's", async () => {
    const started = await start({ agent: 'inside', callbackUrl: 'https://93.184.215.14/' });
    expect(started.status).toBe(201);
    expect((await start({ agent: 'telling', callbackUrl: 'https://10.0.0.1/' })).status).toBe(400);
  });

  it('that is rejected starts nothing', async () => {
    const id = `refused-${p.taskQueue}`;
    await start({ id, callbackUrl: 'https://10.0.0.1/' });
    expect((await p.call('GET', `/v1/conversations/${id}`)).status).toBe(404);
  });
});

describe('a callback without keys', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false });
  });
  afterAll(() => p.stop());
  const start = (callbackUrl: string) =>
    p.call<Problem>('POST', '/v1/conversations', { agent: p.agent, message: 'Hello', callbackUrl });

  it.each(['http://127.0.0.1:4000/', 'http://localhost:4000/', 'http://localhost.:4000/', 'http://[::1]:4000/'])(
    'may be on this machine: %s',
    async (url) => {
      expect((await start(url)).status).toBe(201);
    },
  );

  it.each(['http://10.0.0.1/', 'https://10.0.0.1/', 'http://0.0.0.0:4000/', 'http://[::ffff:127.0.0.1]:4000/'])(
    'may not be elsewhere in a private network: %s',
    async (url) => {
      expect((await start(url)).status).toBe(400);
    },
  );
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { ENCRYPTION_KEY_1, ENCRYPTION_KEY_2, startApiWithKeys } from '#test/support/parley/encryption-variants';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const run = promisify(execFile);
const UI = 'http://127.0.0.1:8233';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const payload = { metadata: { encoding: base64('json/plain') }, data: base64('"a secret"') };
type Payloads = { payloads: { metadata: Record<string, string>; data: string }[] };

describe('the remote codec', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: (request) =>
        lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
      keys: { admin: ['admin'], maria: ['conversations:read', 'conversations:write', 'questions:answer'] },
      env: { PARLEY_ENCRYPTION_KEYS: ENCRYPTION_KEY_1, PARLEY_CORS_ORIGINS: 'https://ops.example.com' },
    });
  });
  afterAll(() => p.stop());

  const encodePayload = async () =>
    (await p.call<Payloads>('POST', '/codec/encode', { payloads: [payload] })).body.payloads;

  it('encrypts and decrypts payloads', async () => {
    const [encrypted] = await encodePayload();
    expect(encrypted?.metadata).toEqual({
      encoding: base64('binary/encrypted'),
      'encryption-key-id': base64('k1'),
    });
    const decoded = await p.call('POST', '/codec/decode', { payloads: [encrypted, payload, {}] });
    expect(decoded.status).toBe(200);
    expect(decoded.body).toEqual({ payloads: [payload, payload, { metadata: {}, data: '' }] });
    expect(decoded.headers.get('cache-control')).toBe('no-store');
  });

  it('requires the admin scope', async () => {
    for (const route of ['encode', 'decode']) {
      expect((await p.callAs('maria')('POST', `/codec/${route}`, { payloads: [] })).status).toBe(403);
      expect((await p.callAs('nobody')('POST', `/codec/${route}`, { payloads: [] })).status).toBe(401);
      expect((await p.call('GET', `/codec/${route}`)).status).toBe(405);
    }
  });

  it.each([
    ['a body that is not an object', '[]', 400],
    ['a body without a list', { payloads: 'x' }, 400],
    ['what is not base64', { payloads: [{ data: '***' }] }, 400],
    ['a truncated body', '{"payloads":', 400],
    ['a body that is too large', { payloads: [{ data: 'A'.repeat(9 * 1024 * 1024) }] }, 413],
  ])('rejects %s', async (_what, body, status) => {
    const { body: problem, ...refused } = await p.call<{ detail: string }>('POST', '/codec/decode', body);
    expect(refused.status).toBe(status);
    if (status === 413) expect(problem.detail).toBe('The body exceeds 8 MB.');
  });

  it('says which key is missing', async () => {
    const encrypted = await encodePayload();
    const other = await startApiWithKeys(p, ENCRYPTION_KEY_2, 'admin');
    const refused = await other.call('POST', '/codec/decode', { payloads: encrypted });
    await other.stop();
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({
      code: 'encryption_key_missing',
      detail: expect.stringMatching(/"k1"/),
    });
  });

  it("lets Temporal's CLI show the content of a conversation", async () => {
    const id = await p.startConversation('Paint the shed');
    await p.waitForQuestion(id);
    const { address = '', namespace } = p.config.temporal;
    const workflowArgs = ['--address', address, '--namespace', namespace, '-w', id, '-o', 'json'];
    const codecArgs = ['--codec-endpoint', `${p.url}/codec`, '--codec-auth', `Bearer ${p.apiKey('admin')}`];
    const raw = await run(findTemporalCli(), ['workflow', 'show', ...workflowArgs]);
    const title = base64('"Paint the shed"');
    expect(raw.stdout).not.toContain(title);
    const decodedShow = await run(findTemporalCli(), ['workflow', 'show', ...workflowArgs, ...codecArgs]);
    expect(decodedShow.stdout).toContain(title);
    const queried = await run(findTemporalCli(), [
      'workflow',
      'query',
      '--type',
      'getState',
      ...workflowArgs,
      ...codecArgs,
    ]);
    expect(queried.stdout).toContain('waiting_for_input');
    const answer = ['--name', 'answerQuestion', '--input', '{"answers":{"q1":"A"}}'];
    await run(findTemporalCli(), ['workflow', 'signal', ...workflowArgs.slice(0, 6), ...answer, ...codecArgs]);
    expect((await p.waitForStatus(id, 'completed')).result).toBe('done');
  });

  describe('from a page', () => {
    const cookieOf = async (name: string) => {
      const session = await p.callAs(name)('POST', '/v1/session');
      return session.headers.get('set-cookie')?.split(';')[0] ?? '';
    };
    const fromOrigin = (origin: string, cookie: string) => ({ origin, cookie, 'sec-fetch-site': 'same-site' });
    const decode = (headers: Record<string, string>) =>
      p.callAs('nobody')('POST', '/codec/decode', { payloads: [payload] }, headers);

    it('serves the Temporal UI for an admin who is signed in to the web app', async () => {
      const answered = await decode(fromOrigin(UI, await cookieOf('admin')));
      expect(answered.status).toBe(200);
      expect(answered.headers.get('access-control-allow-origin')).toBe(UI);
      expect(answered.headers.get('access-control-allow-credentials')).toBe('true');
      expect((await decode(fromOrigin('http://localhost:8233', await cookieOf('admin')))).status).toBe(200);
      expect((await decode(fromOrigin(UI, await cookieOf('maria')))).status).toBe(403);
      expect((await decode(fromOrigin(UI, ''))).status).toBe(401);
    });

    it('answers the preflight request', async () => {
      const preflight = await fetch(`${p.url}/codec/decode`, {
        method: 'OPTIONS',
        headers: {
          origin: UI,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type,x-namespace',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe(UI);
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/X-Namespace/);
    });

    it('accepts the cookie from no other page, and nowhere else', async () => {
      const cookie = await cookieOf('admin');
      const elsewhere = await decode(fromOrigin('https://evil.example.com', cookie));
      expect([elsewhere.status, elsewhere.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      expect((await decode(fromOrigin('https://ops.example.com', cookie))).status).toBe(403);
      const other = await p.callAs('nobody')('POST', '/v1/conversations', { message: 'x' }, fromOrigin(UI, cookie));
      expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
      const bearer = { origin: 'https://ops.example.com' };
      const allowed = await p.call('POST', '/codec/decode', { payloads: [] }, bearer);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, bearer.origin]);
    });
  });
});

describe('the remote codec without keys', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false });
  });
  afterAll(() => p.stop());

  it.each([
    ['a program on this machine', {}, 200],
    ['the Temporal UI', { origin: UI, 'sec-fetch-site': 'same-site' }, 200],
    ['the Temporal UI by another host name', { origin: 'http://localhost:8233', 'sec-fetch-site': 'cross-site' }, 200],
    ['another site', { origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' }, 403],
    ['a page without an origin', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('answers %s as expected', async (_who, headers, status) => {
    const reply = await p.call('POST', '/codec/decode', { payloads: [payload] }, headers as Record<string, string>);
    expect(reply.status).toBe(status);
  });
});

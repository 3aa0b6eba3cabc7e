import { createHmac } from 'node:crypto';
import type { Server } from 'node:http';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Session } from '#contract/permissions';
import type { Problem } from '#contract/problem';
import {
  type ApiResponse,
  type CallApi,
  createApiCaller,
  startParley,
  type TestParley,
  type TestParleySettings,
} from '#test/support/parley/start-parley';
import { replyWithQuestion } from '#test/support/scripted-model';

const SECRET = 'a secret for the tests of sessions which is as long as 32 random bytes in base64';
const SCOPES: TestParleySettings['keys'] = {
  ann: ['conversations:write', 'conversations:read'],
  bob: ['questions:answer'],
};
const DAY = 86_400_000;

const cookieOf = ({ headers }: Pick<ApiResponse<unknown>, 'headers'>) =>
  /^(?:__Host-)?parley_session=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1] ?? '';
const openSession = (p: TestParley, name = 'ann') => p.callAs(name)<Session>('POST', '/v1/session');

/** A cookie in Parley's format, signed with the given secret. */
function forgeCookie(hash: string, expiresAt: number | string, secret = SECRET): string {
  const body = `${hash.slice(0, 32)}.${expiresAt}`;
  return `${body}.${createHmac('sha256', secret).update(`session\n${body}`).digest('base64url')}`;
}

describe('a session', () => {
  let p: TestParley;
  let call: CallApi;
  beforeAll(async () => {
    p = await startParley({
      keys: SCOPES,
      env: { PARLEY_SECRET: SECRET },
      script: () => replyWithQuestion('Which?', 'A', 'B'),
    });
    const cookie = cookieOf(await openSession(p));
    const callWithoutKey = createApiCaller(p.url);
    call = (method, route, body, headers = {}) =>
      callWithoutKey(method, route, body, { cookie: `theme=dark; parley_session=${cookie}; x=y`, ...headers });
  });
  afterAll(() => p.stop());

  const getSessionWithCookie = (value: string, url = p.url) =>
    createApiCaller(url)<Problem>('GET', '/v1/session', undefined, { cookie: `parley_session=${value}` });
  const annKeyHash = () => p.config.apiKeys?.[0]?.hash ?? '';

  it('is a cookie that scripts cannot read and other sites cannot send', async () => {
    const reply = await openSession(p);
    expect([reply.status, reply.body]).toEqual([200, { name: 'ann', scopes: SCOPES.ann }]);
    const [value = '', ...attributes] = reply.headers.get('set-cookie')?.split('; ') ?? [];
    expect(value).toMatch(/^parley_session=[0-9a-f]{32}\.\d+\.[\w-]{43}$/);
    expect(attributes.filter((attribute) => !attribute.startsWith('Expires='))).toEqual([
      'Max-Age=2592000',
      'Path=/',
      'HttpOnly',
      'SameSite=Strict',
    ]);
    expect(value).not.toContain(p.apiKey('ann'));
  });

  it('requires a key to create', async () => {
    const reply = await createApiCaller(p.url)<Problem>('POST', '/v1/session');
    expect([reply.status, reply.body.code, reply.headers.get('set-cookie')]).toEqual([401, 'unauthenticated', null]);
  });

  it('permits what its key permits, for reading and writing', async () => {
    expect((await call('GET', '/v1/conversations')).status).toBe(200);
    const started = await call<{ id: string }>('POST', '/v1/conversations', { message: 'x', agent: p.agent });
    expect(started.status).toBe(201);
    const route = `/v1/conversations/${started.body.id}`;
    await p.waitForQuestion(started.body.id);
    expect((await call('GET', route)).status).toBe(200);
    expect((await p.callAs('ann')('GET', route)).status).toBe(200);
    const answer = await call<Problem>('POST', `${route}/questions/latest/answer`, { answer: 'A' });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect((await call('POST', `${route}/cancel`, {})).status).toBe(202);
  });

  it('identifies its caller as a key does', async () => {
    for (const [name, send] of [
      ['ann', call],
      ['ann', p.callAs('ann')],
      ['bob', p.callAs('bob')],
    ] as const) {
      const { status, body, headers } = await send('GET', '/v1/session');
      expect([status, Session.parse(body)]).toEqual([200, { name, scopes: SCOPES[name] }]);
      expect(headers.get('set-cookie')).toBeNull();
    }
    expect((await createApiCaller(p.url)('GET', '/v1/session')).status).toBe(401);
  });

  it('yields to a key in the same request, valid or not', async () => {
    const authorization = `Bearer ${p.apiKey('bob')}`;
    expect((await call<Session>('GET', '/v1/session', undefined, { authorization })).body.name).toBe('bob');
    expect((await call('GET', '/v1/session', undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
  });

  it('is valid in another process with the same secret', async () => {
    const other = await p.startAnotherApi();
    expect((await getSessionWithCookie(cookieOf(await openSession(p)), other.url)).status).toBe(200);
    await other.stop();
  });

  it('is valid before the tests below break it', async () => {
    expect((await getSessionWithCookie(forgeCookie(annKeyHash(), Date.now() + DAY))).status).toBe(200);
  });

  const tomorrow = () => Date.now() + DAY;
  const changedCookie = (change: (parts: string[]) => string[]) => () =>
    change(forgeCookie(annKeyHash(), tomorrow()).split('.')).join('.');
  it.each<[string, () => string]>([
    ['is empty', () => ''],
    ['is arbitrary text', () => 'x'],
    ['is only dots', () => '..'],
    ['is the key itself', () => p.apiKey('ann')],
    ['has no signature', changedCookie(([id = '', expiresAt = '']) => [id, expiresAt])],
    ['has an empty signature', changedCookie(([id = '', expiresAt = '']) => [id, expiresAt, ''])],
    ["has another's id", changedCookie(([, ...rest]) => [p.config.apiKeys?.[1]?.hash.slice(0, 32) ?? '', ...rest])],
    ['has no id', changedCookie(([, ...rest]) => ['', ...rest])],
    [
      'expires later than signed',
      changedCookie(([id = '', , signature = '']) => [id, String(tomorrow() + 1_000), signature]),
    ],
    [
      'has a changed signature',
      changedCookie(([id = '', expiresAt = '', signature = '']) => [
        id,
        expiresAt,
        `${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
      ]),
    ],
    [
      'has a truncated signature',
      changedCookie(([id = '', expiresAt = '', signature = '']) => [id, expiresAt, signature.slice(1)]),
    ],
    ['is expired', () => forgeCookie(annKeyHash(), Date.now() - 1)],
    ['never expires', () => forgeCookie(annKeyHash(), 'NaN')],
    ['was signed with another secret', () => forgeCookie(annKeyHash(), tomorrow(), 'another secret, long enough')],
    ['is for a key that was removed', () => forgeCookie('0'.repeat(64), tomorrow())],
    ['is for no key', () => forgeCookie('', tomorrow())],
  ])('is invalid if its cookie %s', async (_what, value) => {
    const reply = await getSessionWithCookie(value());
    expect([reply.status, reply.body.code]).toEqual([401, 'unauthenticated']);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a form on another website', 'POST', { origin: 'https://evil.example' }],
    ['a site with the same host and another port', 'POST', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', 'POST', { origin: 'null' }],
    ['an invalid origin', 'POST', { origin: 'here' }],
    ['a script on another website that reads', 'GET', { origin: 'https://evil.example' }],
    ['a browser that reports a cross-site request', 'POST', { 'sec-fetch-site': 'cross-site' }],
    ['a neighboring site', 'POST', { 'sec-fetch-site': 'same-site' }],
    ['a neighboring site that deletes', 'DELETE', { 'sec-fetch-site': 'same-site' }],
  ])('is rejected for %s', async (_what, method, headers) => {
    const reply = await call<Problem>(method, '/v1/session', undefined, headers);
    expect([reply.status, reply.body.code]).toEqual([403, 'forbidden']);
    expect(reply.headers.get('set-cookie')).toBeNull();
  });

  it.each<Record<string, string>>([{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])(
    'is accepted for our own pages: %j',
    async (headers) => {
      const origin = { origin: p.url };
      expect((await call('POST', '/v1/session', undefined, { ...origin, ...headers })).status).toBe(200);
      expect((await call('GET', '/v1/conversations', undefined, headers)).status).toBe(200);
    },
  );

  it('does not affect a key sent from another site', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await p.callAs('ann')('GET', '/v1/session', undefined, headers)).status).toBe(200);
  });

  it('is deleted on request, by anyone', async () => {
    for (const send of [call, createApiCaller(p.url)]) {
      const { status, body, headers } = await send('DELETE', '/v1/session');
      expect([status, body]).toEqual([204, null]);
      expect(headers.get('set-cookie')).toMatch(
        /^parley_session=; Max-Age=0; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
      );
    }
  });
});

describe('a session of a Parley with a public URL', () => {
  let p: TestParley;
  let call: CallApi;
  beforeAll(async () => {
    const create = jest.spyOn(http, 'createServer');
    p = await startParley({
      startsWorker: false,
      keys: SCOPES,
      env: { PARLEY_PUBLIC_URL: 'https://parley.example.com/' },
    });
    const server: Server = create.mock.results.at(-1)?.value;
    create.mockRestore();
    call = createApiCaller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(() => p.stop());

  const openSecureSession = () =>
    call('POST', '/v1/session', undefined, { authorization: `Bearer ${p.apiKey('ann')}` });

  it('is sent over HTTPS only', async () => {
    expect((await openSecureSession()).headers.get('set-cookie')).toMatch(/; Secure(;|$)/);
    expect((await call('DELETE', '/v1/session')).headers.get('set-cookie')).toMatch(/; Secure(;|$)/);
  });

  it('is set by this host only: another host of the same site cannot sign a person in', async () => {
    const { headers } = await openSecureSession();
    expect(headers.get('set-cookie')).toMatch(/^__Host-parley_session=[^;]+; Max-Age=\d+; Path=\/; /);
    expect(headers.get('set-cookie')).not.toMatch(/domain/i);
    const plantedCookie = { cookie: `parley_session=${cookieOf({ headers })}` };
    expect((await call('GET', '/v1/session', undefined, plantedCookie)).status).toBe(401);
  });

  it('is accepted from the pages of that URL, whatever name the proxy uses', async () => {
    const cookie = `__Host-parley_session=${cookieOf(await openSecureSession())}`;
    const openFrom = (origin: string) => call('POST', '/v1/session', undefined, { cookie, origin });
    expect((await openFrom('https://parley.example.com')).status).toBe(200);
    expect((await openFrom('http://parley.example.com')).status).toBe(403);
    expect((await openFrom('https://evil.example')).status).toBe(403);
  });
});

describe('without keys', () => {
  it('a session names no caller and sets no cookie', async () => {
    const p = await startParley({ startsWorker: false });
    for (const method of ['POST', 'GET']) {
      const { status, body, headers } = await p.call(method, '/v1/session');
      expect([status, Session.parse(body).name, headers.get('set-cookie')]).toEqual([200, null, null]);
      expect(Session.parse(body).scopes).toContain('admin');
    }
    await p.stop();
  });
});

import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const PAGE = '<!doctype html><title>The app</title>';
const SCRIPT = `console.log(${JSON.stringify('a word and another '.repeat(200))});`;
const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

/** The output of `vite build`, with a secret beside it that must not be served. */
function createBuildFolder(): string {
  const parent = mkdtempSync(path.join(tmpdir(), 'parley-web-'));
  const folder = path.join(parent, 'web');
  mkdirSync(path.join(folder, 'assets'), { recursive: true });
  writeFileSync(path.join(parent, 'package.json'), '{"secret": true}');
  writeFileSync(path.join(folder, 'index.html'), PAGE);
  mkdirSync(path.join(folder, 'docs'));
  writeFileSync(path.join(folder, 'docs/index.html'), '<!doctype html><title>The API reference</title>');
  writeFileSync(path.join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(path.join(folder, '.hidden'), '{"secret": true}');
  writeFileSync(path.join(folder, 'assets', 'index-Ab3_x-9Z.js'), SCRIPT);
  return folder;
}

interface RawReply {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

/** Sends what fetch would normalize: the path, Host, Accept-Encoding. */
function send(url: string, route: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const clientRequest = request({ hostname, port, path: route, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('end', () => {
        const bytes = Buffer.concat(parts);
        const { statusCode: status, headers } = response;
        resolve({ status, headers, bytes, text: bytes.toString('utf8') });
      });
    });
    clientRequest.on('error', reject).end();
  });
}

describe('the web app', () => {
  const folder = createBuildFolder();
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false, webFolder: folder });
  });
  afterAll(async () => {
    await p.stop();
    rmSync(path.dirname(folder), { recursive: true });
  });
  const get = (route: string, headers?: Record<string, string>, method?: string) => send(p.url, route, headers, method);
  const problemOf = ({ text }: RawReply) => JSON.parse(text) as { code: string; detail: string };

  it.each([
    '/',
    '/?from=mail',
    '/new',
    '/conversations',
    '/conversations/',
    '/conversations/c-1',
    '/questions/c-1/question-2',
  ])('is at %s, whatever the client accepts', async (route) => {
    for (const headers of [{ ...BROWSER }, {}, { accept: '*/*' }]) {
      const page = await get(route, headers as Record<string, string>);
      expect([page.status, page.text]).toEqual([200, PAGE]);
      expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(page.headers['cache-control']).toBe('no-cache');
    }
  });

  it('may load its own files, but no inline code and no devices', async () => {
    const { headers } = await get('/');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
    for (const device of ['camera', 'microphone', 'geolocation', 'payment', 'usb'])
      expect(headers['permissions-policy']).toContain(`${device}=()`);
    expect(headers).toMatchObject({
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'x-request-id': expect.any(String),
    });
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('has files with a hash in their name, which are cached forever', async () => {
    const script = await get('/assets/index-Ab3_x-9Z.js');
    expect([script.status, script.text]).toEqual([200, SCRIPT]);
    expect(script.headers['content-type']).toMatch(/^text\/javascript/);
    expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(script.headers['x-content-type-options']).toBe('nosniff');
  });

  it('has other files, which are revalidated', async () => {
    const icon = await get('/favicon.svg');
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(icon.headers['cache-control']).toBe('no-cache');
    expect(icon.headers['content-security-policy']).toContain("default-src 'none'");
    const again = await get('/favicon.svg', { 'if-none-match': icon.headers.etag ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  it('handles unknown pages in the browser', async () => {
    for (const route of ['/nowhere', '/questions/c-1', '/conversations/c-1/more', '/v1x', '/assets.html']) {
      const page = await get(route, BROWSER);
      expect([page.status, page.text]).toEqual([404, PAGE]);
      expect(page.headers['cache-control']).toBe('no-cache');
      expect(page.headers['content-security-policy']).toContain("script-src 'self'");
      expect(page.headers.vary).toMatch(/\bAccept\b/);
    }
  });

  it.each([{}, { accept: '*/*' }, { accept: 'application/json' }, { accept: 'text/html;q=0, */*' }])(
    'leaves JSON errors to clients that accept %j',
    async (headers) => {
      const reply = await get('/nowhere', headers as Record<string, string>);
      expect([reply.status, problemOf(reply).code]).toEqual([404, 'not_found']);
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(reply.headers['content-security-policy']).not.toContain('script-src');
    },
  );

  it.each(['/v1', '/v1/nothing', '/V1/nothing', '/docs/nothing', '/codec/nothing', '/metrics/nothing', '/healthz/x'])(
    'does not shadow the API: %s',
    async (route) => {
      const reply = await get(route, BROWSER);
      expect([reply.status, problemOf(reply).code]).toEqual([404, 'not_found']);
    },
  );

  it("does not shadow the API's own pages", async () => {
    expect((await get('/docs', BROWSER)).text).toContain('The API reference');
    expect(JSON.parse((await get('/openapi.json', BROWSER)).text)).toMatchObject({ openapi: '3.1.0' });
    expect(JSON.parse((await get('/healthz', BROWSER)).text)).toEqual({ status: 'ok' });
  });

  it('never returns the page for a missing file', async () => {
    for (const route of ['/assets/index-old.js', '/assets/', '/assets']) {
      const reply = await get(route, BROWSER);
      expect([reply.status, problemOf(reply).code]).toEqual([404, 'not_found']);
      expect(problemOf(reply).detail).toContain(`GET ${route}`);
      expect(reply.headers['cache-control']).toBe('no-store');
    }
  });

  it('answers HEAD like GET, without a body', async () => {
    for (const [route, status] of [
      ['/', 200],
      ['/conversations/c-1', 200],
      ['/assets/index-Ab3_x-9Z.js', 200],
      ['/nowhere', 404],
    ] as const) {
      const [head, getReply] = [await get(route, BROWSER, 'HEAD'), await get(route, BROWSER)];
      expect([head.status, head.bytes.length]).toEqual([status, 0]);
      for (const name of ['content-type', 'content-length', 'cache-control', 'content-security-policy'])
        expect([name, head.headers[name]]).toEqual([name, getReply.headers[name]]);
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH'])('rejects %s', async (method) => {
    const reply = await get('/conversations', BROWSER, method);
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await get('/nowhere', BROWSER, method)).status).toBe(404);
  });

  it.each([
    '/../package.json',
    '/..%2fpackage.json',
    '/..%2f..%2fpackage.json',
    '/%2e%2e/package.json',
    '/%2e%2e%2fpackage.json',
    '/..%5cpackage.json',
    '//package.json',
    '/./../package.json',
    '/assets/../../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/..%5c..%5cpackage.json',
    '/assets/..%5c',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets//etc/passwd',
    '/%00',
    '/favicon.svg%00.js',
    '/assets/index-Ab3_x-9Z.js%00',
    '/assets/%E0%A4%A',
    '/%E0%A4%A',
    '/.hidden',
    '/%2ehidden',
  ])('serves nothing but its own files: %s', async (route) => {
    for (const headers of [{}, BROWSER]) {
      const reply = await get(route, headers as Record<string, string>);
      expect([400, 404]).toContain(reply.status);
      expect(reply.text).not.toMatch(/secret|root:/);
    }
    expect((await get('/')).status).toBe(200);
  });

  it('is compressed, unlike the API', async () => {
    const withEncoding = (encoding: string) => ({ ...BROWSER, 'accept-encoding': encoding });
    const gzipped = await get('/assets/index-Ab3_x-9Z.js', withEncoding('gzip'));
    expect(gzipped.headers['content-encoding']).toBe('gzip');
    expect(gzipped.headers.vary).toMatch(/Accept-Encoding/);
    expect(gunzipSync(gzipped.bytes).toString()).toBe(SCRIPT);
    const brotli = await get('/assets/index-Ab3_x-9Z.js', withEncoding('gzip, br'));
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(SCRIPT);
    const longRoute = `/v1/${'x'.repeat(5_000)}`;
    for (const route of ['/v1/agents', longRoute]) {
      const reply = await get(route, withEncoding('gzip, br'));
      expect([route, reply.headers['content-encoding']]).toEqual([route, undefined]);
    }
  });

  it.each([
    ['a host name that resolves to this machine', { host: 'evil.example:3000' }],
    ['another website', { origin: 'https://evil.example' }],
    ['a link on another website', { 'sec-fetch-site': 'cross-site' }],
  ])('without keys rejects %s', async (_what, headers) => {
    for (const route of ['/', '/assets/index-Ab3_x-9Z.js', '/nowhere']) {
      const reply = await get(route, { ...BROWSER, ...(headers as unknown as Record<string, string>) });
      expect([reply.status, problemOf(reply).code]).toEqual([403, 'forbidden']);
    }
  });

  it('is served in its current state, or says how to build it', async () => {
    renameSync(folder, `${folder}-away`);
    const missing = await get('/', BROWSER);
    expect([missing.status, problemOf(missing).code]).toEqual([404, 'not_found']);
    expect(problemOf(missing).detail).toContain('npm run build');
    expect((await get('/favicon.svg')).status).toBe(404);
    expect((await get('/healthz')).status).toBe(200);
    renameSync(`${folder}-away`, folder);
    writeFileSync(path.join(folder, 'index.html'), `${PAGE}<p>New`);
    expect((await get('/', BROWSER)).text).toBe(`${PAGE}<p>New`);
    writeFileSync(path.join(folder, 'index.html'), PAGE);
  });
});

describe('the web app with keys set', () => {
  const folder = createBuildFolder();
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ startsWorker: false, webFolder: folder, keys: { ann: ['admin'] } });
  });
  afterAll(async () => {
    await p.stop();
    rmSync(path.dirname(folder), { recursive: true });
  });

  it('is open to all, under any host name, for signing in', async () => {
    for (const headers of [{}, { host: 'parley.example.com' }, { authorization: 'Bearer parley_wrong' }])
      for (const route of ['/', '/conversations/c-1', '/assets/index-Ab3_x-9Z.js'])
        expect((await send(p.url, route, headers as Record<string, string>)).status).toBe(200);
  });

  it('contains no data, since that requires the key', async () => {
    for (const route of ['/v1/conversations', '/v1/agents', '/v1/conversations/c-1'])
      expect((await send(p.url, route, BROWSER)).status).toBe(401);
  });
});

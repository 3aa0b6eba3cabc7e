import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buildOpenApiDocument } from '#contract/openapi/document';
import { PROBLEMS, type Problem } from '#contract/problem';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

const PAGE = '<!doctype html><title>The API reference</title>';

describe('the routes of the API reference', () => {
  let webFolder: string;
  let p: TestParley;
  beforeAll(async () => {
    webFolder = mkdtempSync(path.join(tmpdir(), 'parley-docs-'));
    mkdirSync(path.join(webFolder, 'docs'));
    writeFileSync(path.join(webFolder, 'docs/index.html'), PAGE);
    p = await startParley({ startsWorker: false, keys: { maria: ['admin'] }, webFolder });
  });
  afterAll(async () => {
    await p.stop();
    rmSync(webFolder, { recursive: true });
  });

  const get = (route: string, method = 'GET') => fetch(`${p.url}${route}`, { method });

  it.each(['/docs', '/docs/'])('serve the page at %s without a key, and always the newest', async (route) => {
    const response = await get(route);
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it("explain every error code at the URL in its problem's type", async () => {
    const { type, code } = (await (await get('/v1/nothing', 'GET')).json()) as Problem;
    const response = await get(type);
    const page = await response.text();
    expect([response.status, new URL(type, p.url).hash]).toEqual([200, `#${code}`]);
    for (const known of Object.keys(PROBLEMS)) expect(page).toContain(`<h2 id="${known}">`);
    expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    expect((await get('/docs/errors', 'POST')).status).toBe(405);
  });

  it('serve the OpenAPI document without a key, compressed, with the URL of this server', async () => {
    const response = await get('/openapi.json');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
    expect(response.headers.get('content-encoding')).toMatch(/^(gzip|br)$/);
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(buildOpenApiDocument(p.url))));
  });

  it.each([
    ['/docs', PAGE.length],
    ['/openapi.json', 10_000],
  ])('answer HEAD for %s, and reject other methods', async (route, minLength) => {
    const head = await get(route, 'HEAD');
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThanOrEqual(minLength);
    expect(await head.text()).toBe('');

    const refused = await get(route, 'POST');
    expect(refused.status).toBe(405);
    expect(refused.headers.get('allow')).toBe('GET, HEAD');
    expect(await refused.json()).toMatchObject({ code: 'method_not_allowed' });
  });
});

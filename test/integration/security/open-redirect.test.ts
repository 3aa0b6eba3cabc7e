import http from 'node:http';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

let p: TestParley;
beforeAll(async () => {
  p = await startParley({ startsWorker: false, keys: { ann: ['admin'] } });
});
afterAll(() => p.stop());

/** A request that a browser would not send. */
function get(path: string, headers: http.OutgoingHttpHeaders): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(p.url);
    http.get({ hostname, port, path, headers }, (response) => resolve(response.resume())).on('error', reject);
  });
}

it('never redirects elsewhere, whatever the URL or the headers say', async () => {
  const paths = [
    '//elsewhere.example',
    '/\\elsewhere.example/..',
    '/docs?next=//elsewhere.example',
    '/assets',
    '/a',
    '/%2f%2felsewhere.example',
  ];
  const forwarded = {
    host: 'elsewhere.example',
    'x-forwarded-host': 'elsewhere.example',
    'x-forwarded-proto': 'https',
  };
  for (const path of paths) {
    const { statusCode = 0, headers } = await get(path, { ...forwarded, accept: 'text/html' });
    expect([path, Math.floor(statusCode / 100) === 3, headers.location]).toEqual([path, false, undefined]);
  }
});

it('builds links from the configured URL, not from the Host header', async () => {
  const started = await p.call<{ links: Record<string, string> }>(
    'POST',
    '/v1/conversations',
    { message: 'Hello', agent: p.agent },
    {
      'x-forwarded-host': 'elsewhere.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=elsewhere.example',
    },
  );
  expect(started.status).toBe(201);
  expect(started.headers.get('location')).toMatch(/^\/v1\/conversations\//);
  expect(JSON.stringify(started.body.links)).not.toContain('elsewhere');
});

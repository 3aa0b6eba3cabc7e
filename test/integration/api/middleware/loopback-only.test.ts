import { request } from 'node:http';
import { startParley, type TestParley } from '#test/support/parley/start-parley';

/** fetch cannot fake Host; a browser that was misled can. */
function call(
  url: string,
  method: string,
  headers: Record<string, string>,
): Promise<{ status: number; code?: string }> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          ...(text.startsWith('{') ? { code: JSON.parse(text).code } : {}),
        }),
      );
    });
    clientRequest.on('error', reject);
    clientRequest.end();
  });
}

const CROSS_SITE_NAVIGATION = {
  'sec-fetch-site': 'cross-site',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-dest': 'document',
};

describe('without keys', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      startsWorker: false,
      env: {
        SLACK_BOT_TOKEN: 'xoxb-unused',
        SLACK_SIGNING_SECRET: '0123456789abcdef',
        PARLEY_SMTP_URL: 'smtp://127.0.0.1:9',
        PARLEY_EMAIL_FROM: 'parley@example.com',
        PARLEY_EMAIL_REPLY_TO: 'reply@example.com',
        PARLEY_EMAIL_SECRET: '0123456789abcdef',
      },
    });
  });
  afterAll(() => p.stop());

  const refused = { status: 403, code: 'forbidden' };

  it.each([
    ['a host name that resolves to this machine', 'GET', '/v1/questions', { host: 'evil.example:3000' }],
    ['a host name that only begins like this one', 'GET', '/v1/questions', { host: 'localhost.evil.example' }],
    ['an invalid Host', 'GET', '/v1/questions', { host: '@' }],
    ['a proxy that rewrites Host', 'GET', '/v1/questions', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy that says it forwards', 'GET', '/', { forwarded: 'for=203.0.113.7' }],
    ['a proxy that says it is on the way', 'GET', '/v1/questions', { via: '1.1 tunnel' }],
    ['another website', 'POST', '/v1/conversations/x/cancel', { origin: 'https://evil.example' }],
    ['a page with an opaque origin', 'POST', '/v1/conversations/x/cancel', { origin: 'null' }],
    ['a link on another website', 'GET', '/v1/questions', { 'sec-fetch-site': 'cross-site' }],
    ['a link on another website to what is not a page', 'GET', '/v1/questions', CROSS_SITE_NAVIGATION],
    ['a link on another website, in upper case', 'GET', '/V1/questions', CROSS_SITE_NAVIGATION],
    ['a form on another website', 'POST', '/conversations/x', CROSS_SITE_NAVIGATION],
    ['our own page in a frame', 'GET', '/', { ...CROSS_SITE_NAVIGATION, 'sec-fetch-dest': 'iframe' }],
    ['our own script in another page', 'GET', '/', { ...CROSS_SITE_NAVIGATION, 'sec-fetch-mode': 'no-cors' }],
  ])('rejects %s', async (_what, method, route, headers) => {
    expect(await call(`${p.url}${route}`, method, headers as unknown as Record<string, string>)).toEqual(refused);
  });

  it.each(['/', '/conversations/x', '/docs'])('allows a link from another site to %s', async (route) => {
    const { status } = await call(`${p.url}${route}`, 'GET', CROSS_SITE_NAVIGATION);
    expect(status).toBe(200);
  });

  it.each<[string, string, Record<string, string>, number]>([
    ['/a/x', 'the form of a link, which tells nobody where it was', { origin: 'null' }, 404],
    ['/a/x', 'a link under a name that leads here by a tunnel', { host: 'tunnel.example' }, 404],
    ['/slack/events', 'Slack', { host: 'tunnel.example' }, 401],
    ['/email/inbound', 'a mail service', { host: 'tunnel.example' }, 401],
  ])('leaves %s to its own checks: %s', async (route, _what, headers, expected) => {
    const form = { ...headers, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(`${p.url}${route}`, 'POST', form)).status).toBe(expected);
  });

  it.each([
    {},
    { host: 'localhost:3000' },
    { host: '[::1]:3000' },
    { origin: 'http://localhost:5173' },
    { 'sec-fetch-site': 'same-origin' },
  ])('responds on this machine: %j', async (headers) => {
    // Agents are listed without Temporal, so a busy server does not affect this test.
    expect((await call(`${p.url}/v1/agents`, 'GET', headers as unknown as Record<string, string>)).status).toBe(200);
  });
});

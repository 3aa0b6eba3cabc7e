import { Webhook } from 'standardwebhooks';
import { deriveWebhookSecret } from '#channels/webhook/signing-secrets';
import { createWebhookChannel } from '#channels/webhook/webhook-channel';
import type { WebhookEndpointSecrets } from '#contract/channel-settings';
import { createHttpClient } from '#infra/http-client/client';
import { closeLoopbackServers, startLoopbackServer } from '#test/support/http-client/loopback-server';
import { generateWebhookSecret, webhookNotification } from '#test/support/webhook/webhook-samples';

afterEach(closeLoopbackServers);

const [NEW, OLD, OTHER] = [generateWebhookSecret(), generateWebhookSecret(), generateWebhookSecret()];
const PARLEY = 'what Parley keeps to itself';

interface Sent {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** Exactly what goes over the wire. */
async function sent(secrets: WebhookEndpointSecrets[] = [{ endpoint: '*', secrets: [NEW, OLD] }]): Promise<Sent> {
  const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
  const network = createHttpClient({ internal: ['127.0.0.1'] });
  const url = `${server.url}/hooks`;
  await createWebhookChannel({ secrets, secret: PARLEY, network }).send(webhookNotification(url));
  const [{ headers, body }] = server.seen as [(typeof server.seen)[0]];
  return { url, body, headers: headers as Record<string, string> };
}

const isTaken = (secret: string, { body, headers }: Pick<Sent, 'body' | 'headers'>) => {
  try {
    return new Webhook(secret).verify(body, headers) !== undefined;
  } catch {
    return false;
  }
};

describe('what is genuine', () => {
  it('is taken with the new secret and with the old one while they change over', async () => {
    const one = await sent();
    expect(one.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect([NEW, OLD, OTHER].map((secret) => isTaken(secret, one))).toEqual([true, true, false]);
    const newest = one.headers['webhook-signature']?.split(' ')[0] ?? '';
    expect(isTaken(NEW, { ...one, headers: { ...one.headers, 'webhook-signature': newest } })).toBe(true);
  });

  it('is not taken with the old one once that is gone', async () => {
    const one = await sent([{ endpoint: '*', secrets: [NEW] }]);
    expect([NEW, OLD].map((secret) => isTaken(secret, one))).toEqual([true, false]);
  });

  it('is signed with the secret of the closest endpoint', async () => {
    const endpoints = (url: string) => [
      { endpoint: '*', secrets: [OTHER] },
      { endpoint: new URL(url).origin, secrets: [OLD] },
      { endpoint: url, secrets: [NEW] },
    ];
    const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
    const network = createHttpClient({ internal: ['127.0.0.1'] });
    const url = `${server.url}/hooks`;
    const channel = createWebhookChannel({ secrets: endpoints(url), secret: PARLEY, network });
    for (const place of [url, `${url}/deep?x=1`, `${url}-not`, `${server.url}/`])
      await channel.send(webhookNotification(place));
    const by = server.seen.map(({ body, headers }) =>
      [NEW, OLD, OTHER].findIndex((secret) => isTaken(secret, { body, headers: headers as Sent['headers'] })),
    );
    expect(by).toEqual([0, 0, 1, 1]);
  });

  it('is signed with a made secret of that address alone where none is set', async () => {
    const one = await sent([]);
    expect(isTaken(deriveWebhookSecret(one.url, PARLEY), one)).toBe(true);
    expect(isTaken(deriveWebhookSecret(`${new URL(one.url).origin}/elsewhere`, PARLEY), one)).toBe(false);
  });
});

const with_ = (headers: Record<string, string>) => (one: Sent) => ({
  ...one,
  headers: { ...one.headers, ...headers },
});
const without = (name: string) => (one: Sent) => {
  const { [name]: _dropped, ...headers } = one.headers;
  return { ...one, headers };
};
const signature = (change: (one: string) => string) => (one: Sent) =>
  with_({ 'webhook-signature': change(one.headers['webhook-signature'] ?? '') })(one);
const at = (ms: number) => (one: Sent) =>
  with_({ 'webhook-timestamp': String(Math.floor((Date.now() + ms) / 1_000)) })(one);
const MINUTE = 60_000;

/** As a forger, a thief on the way or a broken proxy would send it; each made of what was really sent. */
const BAD: [what: string, change: (one: Sent) => Pick<Sent, 'body' | 'headers'>, secret?: string][] = [
  ['another secret', (one) => one, OTHER],
  ['the made secret of another receiver', (one) => one, deriveWebhookSecret('https://other.example/hooks', PARLEY)],
  ['a body with one character more', (one) => ({ ...one, body: `${one.body} ` })],
  [
    'a body with another answer address',
    (one) => ({ ...one, body: one.body.replace('parley.example.com', 'evil.example.com') }),
  ],
  ['the same body written otherwise', (one) => ({ ...one, body: JSON.stringify(JSON.parse(one.body), null, 1) })],
  ['no body', (one) => ({ ...one, body: '' })],
  ['another id', with_({ 'webhook-id': `msg_${'0'.repeat(64)}` })],
  ['part of the time moved into the id', (one) => with_({ 'webhook-id': `${one.headers['webhook-id']}.1` })(one)],
  ['no id', without('webhook-id')],
  ['an empty id', with_({ 'webhook-id': '' })],
  ['no time', without('webhook-timestamp')],
  ['a time of six minutes ago', at(-6 * MINUTE)],
  ['a time in six minutes', at(6 * MINUTE)],
  ['a time of a minute ago that was not signed', at(-MINUTE)],
  ['a time in words', with_({ 'webhook-timestamp': 'now' })],
  ['a time in milliseconds', with_({ 'webhook-timestamp': String(Date.now()) })],
  ['no signature', without('webhook-signature')],
  ['an empty signature', with_({ 'webhook-signature': '' })],
  ['another version of signature', signature((all) => all.replaceAll('v1,', 'v1a,'))],
  ['no version of signature', signature((all) => all.replaceAll('v1,', ''))],
  ['signatures cut short', signature((all) => all.replaceAll(/\S{4}(?= |$)/g, ''))],
  [
    'signatures with one letter changed',
    signature((all) => all.replaceAll(/,(.)/g, (_, a) => `,${a === 'A' ? 'B' : 'A'}`)),
  ],
  ['signatures in other letters', signature((all) => all.replaceAll(/,\S+/g, (one) => one.toLowerCase()))],
  ['signatures with commas between', signature((all) => all.split(' ').reverse().join(',').replace(/^v1/, 'v0'))],
  ['the signature of nobody', with_({ 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` })],
];

describe('what a receiver refuses', () => {
  let one: Sent;
  beforeAll(async () => {
    one = await sent();
    await closeLoopbackServers();
  });

  it.each(BAD)('%s', (_what, change, secret = NEW) => {
    expect(isTaken(NEW, one)).toBe(true);
    expect(isTaken(secret, change(one))).toBe(false);
  });

  it('the whole message again, six minutes later', () => {
    jest.useFakeTimers({ now: Date.now() + 6 * MINUTE });
    expect(isTaken(NEW, one)).toBe(false);
    jest.useRealTimers();
  });

  it('the signature of another message', async () => {
    const other = await sent();
    const network = createHttpClient({ internal: ['127.0.0.1'] });
    const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
    const channel = createWebhookChannel({
      secrets: [{ endpoint: '*', secrets: [NEW] }],
      secret: PARLEY,
      network,
    });
    await channel.send(webhookNotification(server.url, { id: 'offsite/question-2/0' }));
    const taken = server.seen[0]?.headers['webhook-signature'] as string;
    expect(isTaken(NEW, with_({ 'webhook-signature': taken })(other))).toBe(false);
  });
});

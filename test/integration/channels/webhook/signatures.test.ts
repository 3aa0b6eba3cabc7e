import { Webhook } from 'standardwebhooks';
import { createWebhookSender } from '#channels/webhook/sender';
import type { WebhookEndpointSecrets } from '#channels/webhook/signing-secrets';
import { deriveWebhookSecret } from '#channels/webhook/signing-secrets';
import { createHttpClient } from '#infra/http-client/client';
import { closeLoopbackServers, startLoopbackServer } from '#test/support/http-client/loopback-server';
import { generateWebhookSecret, webhookNotification } from '#test/support/webhook/webhook-samples';

afterEach(closeLoopbackServers);

const [NEW, OLD, OTHER] = [generateWebhookSecret(), generateWebhookSecret(), generateWebhookSecret()];
const PARLEY = 'what Parley keeps to itself';

interface CapturedRequest {
  url: string;
  body: string;
  headers: Record<string, string>;
}

/** The exact bytes on the wire. */
async function captureRequest(
  secrets: WebhookEndpointSecrets[] = [{ endpoint: '*', secrets: [NEW, OLD] }],
): Promise<CapturedRequest> {
  const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
  const httpClient = createHttpClient({ internalHosts: ['127.0.0.1'] });
  const url = `${server.url}/hooks`;
  await createWebhookSender({ endpointSecrets: secrets, secret: PARLEY, httpClient }).send(webhookNotification(url));
  const [{ headers, body }] = server.requests as [(typeof server.requests)[0]];
  return { url, body, headers: headers as Record<string, string> };
}

const isAccepted = (secret: string, { body, headers }: Pick<CapturedRequest, 'body' | 'headers'>) => {
  try {
    return new Webhook(secret).verify(body, headers) !== undefined;
  } catch {
    return false;
  }
};

describe('a genuine webhook', () => {
  it('is valid with the new and the old secret during rotation', async () => {
    const request = await captureRequest();
    expect(request.headers['webhook-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect([NEW, OLD, OTHER].map((secret) => isAccepted(secret, request))).toEqual([true, true, false]);
    const newest = request.headers['webhook-signature']?.split(' ')[0] ?? '';
    expect(isAccepted(NEW, { ...request, headers: { ...request.headers, 'webhook-signature': newest } })).toBe(true);
  });

  it('is not valid with the old secret once that is removed', async () => {
    const request = await captureRequest([{ endpoint: '*', secrets: [NEW] }]);
    expect([NEW, OLD].map((secret) => isAccepted(secret, request))).toEqual([true, false]);
  });

  it('is signed with the secret of the most specific endpoint', async () => {
    const endpoints = (url: string) => [
      { endpoint: '*', secrets: [OTHER] },
      { endpoint: new URL(url).origin, secrets: [OLD] },
      { endpoint: url, secrets: [NEW] },
    ];
    const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
    const httpClient = createHttpClient({ internalHosts: ['127.0.0.1'] });
    const url = `${server.url}/hooks`;
    const channel = createWebhookSender({ endpointSecrets: endpoints(url), secret: PARLEY, httpClient });
    for (const receiverUrl of [url, `${url}/deep?x=1`, `${url}-not`, `${server.url}/`])
      await channel.send(webhookNotification(receiverUrl));
    const secretIndexes = server.requests.map(({ body, headers }) =>
      [NEW, OLD, OTHER].findIndex((secret) =>
        isAccepted(secret, { body, headers: headers as CapturedRequest['headers'] }),
      ),
    );
    expect(secretIndexes).toEqual([0, 0, 1, 1]);
  });

  it('is signed with a derived secret of its own address if none is set', async () => {
    const request = await captureRequest([]);
    expect(isAccepted(deriveWebhookSecret(request.url, PARLEY), request)).toBe(true);
    expect(isAccepted(deriveWebhookSecret(`${new URL(request.url).origin}/elsewhere`, PARLEY), request)).toBe(false);
  });
});

const withHeaders = (headers: Record<string, string>) => (request: CapturedRequest) => ({
  ...request,
  headers: { ...request.headers, ...headers },
});
const withoutHeader = (name: string) => (request: CapturedRequest) => {
  const { [name]: _dropped, ...headers } = request.headers;
  return { ...request, headers };
};
const withSignature = (change: (value: string) => string) => (request: CapturedRequest) =>
  withHeaders({ 'webhook-signature': change(request.headers['webhook-signature'] ?? '') })(request);
const withTimeOffset = (ms: number) => (request: CapturedRequest) =>
  withHeaders({ 'webhook-timestamp': String(Math.floor((Date.now() + ms) / 1_000)) })(request);
const MINUTE = 60_000;

/** Requests of a forger, an interceptor or a broken proxy, each derived from a real one. */
const FORGERIES: [
  what: string,
  change: (request: CapturedRequest) => Pick<CapturedRequest, 'body' | 'headers'>,
  secret?: string,
][] = [
  ['another secret', (request) => request, OTHER],
  [
    'the derived secret of another receiver',
    (request) => request,
    deriveWebhookSecret('https://other.example/hooks', PARLEY),
  ],
  ['a body with one more character', (request) => ({ ...request, body: `${request.body} ` })],
  [
    'a body with another answer URL',
    (request) => ({ ...request, body: request.body.replace('parley.example.com', 'evil.example.com') }),
  ],
  [
    'the same body formatted differently',
    (request) => ({ ...request, body: JSON.stringify(JSON.parse(request.body), null, 1) }),
  ],
  ['no body', (request) => ({ ...request, body: '' })],
  ['another id', withHeaders({ 'webhook-id': `msg_${'0'.repeat(64)}` })],
  [
    'part of the timestamp moved into the id',
    (request) => withHeaders({ 'webhook-id': `${request.headers['webhook-id']}.1` })(request),
  ],
  ['no id', withoutHeader('webhook-id')],
  ['an empty id', withHeaders({ 'webhook-id': '' })],
  ['no timestamp', withoutHeader('webhook-timestamp')],
  ['a timestamp six minutes old', withTimeOffset(-6 * MINUTE)],
  ['a timestamp six minutes ahead', withTimeOffset(6 * MINUTE)],
  ['a timestamp one minute old that was not signed', withTimeOffset(-MINUTE)],
  ['a timestamp in words', withHeaders({ 'webhook-timestamp': 'now' })],
  ['a timestamp in milliseconds', withHeaders({ 'webhook-timestamp': String(Date.now()) })],
  ['no signature', withoutHeader('webhook-signature')],
  ['an empty signature', withHeaders({ 'webhook-signature': '' })],
  ['another version of signature', withSignature((all) => all.replaceAll('v1,', 'v1a,'))],
  ['no version of signature', withSignature((all) => all.replaceAll('v1,', ''))],
  ['truncated signatures', withSignature((all) => all.replaceAll(/\S{4}(?= |$)/g, ''))],
  [
    'signatures with one character changed',
    withSignature((all) => all.replaceAll(/,(.)/g, (_, a) => `,${a === 'A' ? 'B' : 'A'}`)),
  ],
  ['signatures in the other case', withSignature((all) => all.replaceAll(/,\S+/g, (match) => match.toLowerCase()))],
  ['signatures separated by commas', withSignature((all) => all.split(' ').reverse().join(',').replace(/^v1/, 'v0'))],
  ['a signature of nothing', withHeaders({ 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` })],
];

describe('a receiver rejects', () => {
  let request: CapturedRequest;
  beforeAll(async () => {
    request = await captureRequest();
    await closeLoopbackServers();
  });

  it.each(FORGERIES)('%s', (_what, change, secret = NEW) => {
    expect(isAccepted(NEW, request)).toBe(true);
    expect(isAccepted(secret, change(request))).toBe(false);
  });

  it('a replay of the whole message six minutes later', () => {
    jest.useFakeTimers({ now: Date.now() + 6 * MINUTE });
    expect(isAccepted(NEW, request)).toBe(false);
    jest.useRealTimers();
  });

  it('the signature of another message', async () => {
    const other = await captureRequest();
    const httpClient = createHttpClient({ internalHosts: ['127.0.0.1'] });
    const server = await startLoopbackServer((_, response) => response.writeHead(204).end());
    const channel = createWebhookSender({
      endpointSecrets: [{ endpoint: '*', secrets: [NEW] }],
      secret: PARLEY,
      httpClient,
    });
    await channel.send(webhookNotification(server.url, { id: 'offsite/question-2/0' }));
    const otherSignature = server.requests[0]?.headers['webhook-signature'] as string;
    expect(isAccepted(NEW, withHeaders({ 'webhook-signature': otherSignature })(other))).toBe(false);
  });
});

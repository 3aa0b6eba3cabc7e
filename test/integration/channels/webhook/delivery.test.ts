import { ChannelError, type ChannelSender } from '#channels/channel';
import { createWebhookSender } from '#channels/webhook/sender';
import { Conversation } from '#contract/conversation';
import { exampleAnsweredQuestion, exampleQuestion, exampleWaitingConversation } from '#contract/operations/examples';
import { Question } from '#contract/question';
import { createHttpClient } from '#infra/http-client/client';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import {
  generateWebhookSecret,
  webhookConversationEnd,
  webhookNotification,
  webhookResolvedCopy,
} from '#test/support/webhook/webhook-samples';

const SECRET = generateWebhookSecret();
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver(SECRET);
});
afterEach(() => receiver.stop());

function createChannel(options: { secrets?: string[]; timeoutMs?: number } = {}): ChannelSender {
  const { secrets = [SECRET], timeoutMs } = options;
  return createWebhookSender({
    endpointSecrets: [{ endpoint: '*', secrets }],
    secret: 'the secret of Parley',
    httpClient: createHttpClient({ internalHosts: ['127.0.0.1'] }),
    timeoutMs,
  });
}

async function expectChannelError(sending: Promise<unknown>): Promise<ChannelError> {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ChannelError)) throw new Error(`it did not fail as it should: ${error}`);
  expect(error.message).not.toMatch(/hush|whsec/);
  expect(error.message).toContain(`127.0.0.1:${receiver.port}`);
  return error;
}

describe('a webhook', () => {
  it('contains the question and where to answer, with the headers of Standard Webhooks', async () => {
    expect(await createChannel().send(webhookNotification(receiver.url))).toEqual({});
    const [{ headers, body }] = receiver.deliveries as [WebhookReceiver['deliveries'][0]];
    expect(headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^msg_[0-9a-f]{64}$/),
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
      'x-agent-session': 'offsite',
      'content-type': 'application/json',
      'user-agent': 'Parley-Webhooks/1.0',
    });
    expect(JSON.parse(body)).toEqual({
      type: 'question.pending',
      timestamp: exampleQuestion.askedAt,
      data: {
        conversationId: 'offsite',
        rootConversationId: 'root',
        agent: 'assistant',
        title: exampleWaitingConversation.title,
        question: exampleQuestion,
        answerUrl: 'https://parley.example.com/v1/conversations/offsite/questions/question-1/answer',
        notice: { what: 'asked', to: [] },
        links: exampleWaitingConversation.links,
      },
    });
  });

  it('contains the same question under another id for a reminder or escalation', async () => {
    await createChannel().send(webhookNotification(receiver.url));
    await createChannel().remind(
      webhookNotification(receiver.url, { id: 'offsite/question-1/1', reason: 'reminder 1 of 2' }),
      {},
    );
    await createChannel().send(
      webhookNotification(receiver.url, {
        id: 'offsite/question-1/2',
        reason: 'escalated to maria',
        escalatedTo: ['maria'],
      }),
    );
    expect(new Set(receiver.deliveries.map(({ id }) => id)).size).toBe(3);
    expect(receiver.deliveries.map(({ type, data }) => [type, data.notice])).toEqual([
      ['question.pending', { what: 'asked', to: [] }],
      ['question.pending', { what: 'reminder 1 of 2', to: [] }],
      ['question.pending', { what: 'escalated to maria', to: ['maria'] }],
    ]);
  });

  it('contains any outcome, with the time at which the question closed', async () => {
    await createChannel().updateCopy(webhookResolvedCopy(receiver.url));
    const [{ type, data, body }] = receiver.deliveries as [WebhookReceiver['deliveries'][0]];
    expect([type, JSON.parse(body).timestamp]).toEqual(['question.answered', exampleAnsweredQuestion.outcome?.at]);
    expect(data.question).toEqual(exampleAnsweredQuestion);
    expect(data).not.toHaveProperty('answerUrl');
    const outcome = { at: '2026-11-18T09:30:05.000Z', via: 'timer' };
    await createChannel().updateCopy(
      webhookResolvedCopy(receiver.url, { question: { ...exampleQuestion, status: 'timed_out', outcome } }),
    );
    expect(receiver.deliveries[1]).toMatchObject({
      type: 'question.answered',
      data: { question: { status: 'timed_out' } },
    });
  });

  it.each(['completed', 'failed', 'cancelled'] as const)(
    'contains the end of a conversation that is %s',
    async (status) => {
      await createChannel().sendConversationEnd?.(webhookConversationEnd(receiver.url, { status }));
      const [{ type, data, body, session }] = receiver.deliveries as [WebhookReceiver['deliveries'][0]];
      expect([type, session]).toEqual([`conversation.${status}`, 'offsite']);
      expect(JSON.parse(body).timestamp).toBe('2026-11-16T11:02:58.000Z');
      expect(Conversation.parse(data.conversation)).toMatchObject({ id: 'offsite', status, result: 'done' });
      expect(data).not.toHaveProperty('truncated');
    },
  );

  it('is identical to the byte on every attempt, and signed anew', async () => {
    jest.useFakeTimers({
      doNotFake: ['setTimeout', 'clearTimeout', 'nextTick', 'setImmediate', 'queueMicrotask'],
    });
    try {
      await createChannel().send(webhookNotification(receiver.url));
      jest.setSystemTime(Date.now() + 60_000);
      const notice = { at: exampleQuestion.askedAt, channel: 'log', what: 'asked' };
      await createChannel().send(
        webhookNotification(receiver.url, {
          question: { ...exampleQuestion, notices: [notice] },
          mayBeDuplicate: true,
        }),
      );
    } finally {
      jest.useRealTimers();
    }
    const [one, two] = receiver.deliveries as [WebhookReceiver['deliveries'][0], WebhookReceiver['deliveries'][0]];
    expect([two.id, two.body]).toEqual([one.id, one.body]);
    const [firstTimestamp, secondTimestamp] = [one, two].map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(secondTimestamp).toBeGreaterThanOrEqual((firstTimestamp ?? 0) + 60);
  });

  it('can be a test that says so, and its result is reported', async () => {
    const outcome = await createChannel().test?.(receiver.url);
    expect(outcome).toBe(
      `Sent a question.pending event of conversation parley-test to 127.0.0.1:${receiver.port}, which responded 204.`,
    );
    await createChannel().test?.(receiver.url);
    const [one, two] = receiver.deliveries;
    expect(one).toMatchObject({ type: 'question.pending', session: 'parley-test' });
    expect(one?.data).toMatchObject({
      answerUrl: 'https://parley.example.com/v1/conversations/parley-test/questions/question-test/answer',
      notice: { what: 'test: no answer needed' },
    });
    expect(Question.parse(one?.data.question).conversationId).toBe('parley-test');
    expect(two?.id).not.toBe(one?.id);
    receiver.respondWith(500);
    const failed = createChannel().test?.(receiver.url) ?? Promise.resolve();
    expect((await expectChannelError(failed)).message).toBe(`127.0.0.1:${receiver.port} responded 500.`);
  });
});

describe('the reply of a receiver', () => {
  it.each([200, 201, 202, 204, 299])('%i is a success', async (status) => {
    receiver.respondWith(status);
    await createChannel().send(webhookNotification(receiver.url));
    expect(receiver.deliveries).toHaveLength(1);
  });

  it.each([300, 301, 304, 307, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504])(
    '%i is retried',
    async (status) => {
      receiver.respondWith(status);
      const error = await expectChannelError(createChannel().send(webhookNotification(receiver.url)));
      expect(error).toMatchObject({ isPermanent: false, isUnsubscribed: false, retryAfterMs: undefined });
      expect(error.message).toContain(String(status));
    },
  );

  it('410 stops all further webhooks', async () => {
    receiver.respondWith(410);
    const error = await expectChannelError(createChannel().updateCopy(webhookResolvedCopy(receiver.url)));
    expect(error).toMatchObject({ isPermanent: true, isUnsubscribed: true });
    expect(error.message).toMatch(/responded 410 Gone/);
  });

  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString();
  it.each([
    ['seconds', 503, '120', 120_000, 120_000],
    ['seconds, too many', 429, '90', 90_000, 90_000],
    ['a date', 503, inHours(1), 3_500_000, 3_600_000],
    ['a week', 503, '604800', 6 * 3_600_000, 6 * 3_600_000],
    ['a date in a year', 429, inHours(8_760), 6 * 3_600_000, 6 * 3_600_000],
  ])('Retry-After in %s is respected, with %i', async (_what, status, header, min, max) => {
    receiver.respondWith((response) => response.writeHead(status, { 'retry-after': header }).end());
    const { retryAfterMs } = await expectChannelError(createChannel().send(webhookNotification(receiver.url)));
    expect(retryAfterMs).toBeGreaterThanOrEqual(min);
    expect(retryAfterMs).toBeLessThanOrEqual(max);
  });

  it.each([
    ['a past date', 503, inHours(-1)],
    ['nonsense', 503, 'soon'],
    ['a negative number', 429, '-5'],
    ['another status', 500, '120'],
  ])('Retry-After with %s is ignored', async (_what, status, header) => {
    receiver.respondWith((response) => response.writeHead(status, { 'retry-after': header }).end());
    expect(
      (await expectChannelError(createChannel().send(webhookNotification(receiver.url)))).retryAfterMs,
    ).toBeUndefined();
  });

  it('is awaited up to the timeout, then the event is retried', async () => {
    receiver.respondWith(() => undefined);
    const error = await expectChannelError(createChannel({ timeoutMs: 200 }).send(webhookNotification(receiver.url)));
    expect(error).toMatchObject({ isPermanent: false });
    expect(error.message).toMatch(/No complete response within 0.2 s/);
  });

  it('can be a refused connection, which is retried', async () => {
    await receiver.stop();
    expect((await expectChannelError(createChannel().send(webhookNotification(receiver.url)))).message).toMatch(
      /refused the connection/,
    );
  });

  it('can be a broken connection, which is retried', async () => {
    receiver.respondWith((response) => response.socket?.destroy());
    expect((await expectChannelError(createChannel().send(webhookNotification(receiver.url)))).isPermanent).toBe(false);
  });

  it('200 with an endless body is a success, and is cut off', async () => {
    let onClosed: () => void = () => undefined;
    const closing = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    receiver.respondWith((response) => {
      response.writeHead(200).write('and');
      const options = setInterval(() => response.write(' so on'), 20);
      response.once('close', () => {
        clearInterval(options);
        onClosed();
      });
    });
    await createChannel({ timeoutMs: 2_000 }).send(webhookNotification(receiver.url));
    await closing;
  });

  it('200 with a huge body is a success, and is not read to its end', async () => {
    let written = 0;
    let onClosed: () => void = () => undefined;
    const closing = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    receiver.respondWith((response) => {
      const writeUntilFull = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.writeHead(200).on('drain', writeUntilFull).once('close', onClosed);
      writeUntilFull();
    });
    await createChannel().send(webhookNotification(receiver.url));
    await closing;
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('500 with a huge or endless body is an ordinary failure', async () => {
    receiver.respondWith((response) => void response.writeHead(500).write(Buffer.alloc(100_000)));
    expect((await expectChannelError(createChannel().send(webhookNotification(receiver.url)))).message).toContain(
      'responded 500',
    );
    receiver.respondWith((response) => void response.writeHead(500).write('and'));
    expect(
      (await expectChannelError(createChannel({ timeoutMs: 2_000 }).send(webhookNotification(receiver.url)))).message,
    ).toContain('responded 500');
  });
});

describe('a conversation without a receiver', () => {
  it('reports a final failure: there is none, or it unsubscribed', async () => {
    const error = await createChannel()
      .send(webhookNotification(''))
      .catch((thrown: ChannelError) => thrown);
    expect(error).toMatchObject({ isPermanent: true, isUnsubscribed: false });
    expect((error as ChannelError).message).toMatch(/no webhook receiver.*callbackUrl/);
  });
});

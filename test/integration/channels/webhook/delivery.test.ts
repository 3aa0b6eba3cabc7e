import { type Channel, ChannelError } from '#channels/channel';
import { createWebhookChannel } from '#channels/webhook/webhook-channel';
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
let r: WebhookReceiver;
beforeEach(async () => {
  r = await startWebhookReceiver(SECRET);
});
afterEach(() => r.stop());

function channel(more: { secrets?: string[]; timeoutMs?: number } = {}): Channel {
  const { secrets = [SECRET], timeoutMs } = more;
  return createWebhookChannel({
    secrets: [{ endpoint: '*', secrets }],
    secret: 'the secret of Parley',
    network: createHttpClient({ internal: ['127.0.0.1'] }),
    timeoutMs,
  });
}

async function failure(telling: Promise<unknown>): Promise<ChannelError> {
  const error = await telling.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ChannelError)) throw new Error(`it did not fail as it should: ${error}`);
  expect(error.message).not.toMatch(/hush|whsec/);
  expect(error.message).toContain(`127.0.0.1:${r.port}`);
  return error;
}

describe('what a receiver is sent', () => {
  it('is the question, with where to answer, under the headers of Standard Webhooks', async () => {
    expect(await channel().send(webhookNotification(r.url))).toEqual({});
    const [{ headers, body }] = r.deliveries as [WebhookReceiver['deliveries'][0]];
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

  it('is a reminder and an escalation as the same question under another id', async () => {
    await channel().send(webhookNotification(r.url));
    await channel().remind(webhookNotification(r.url, { id: 'offsite/question-1/1', what: 'reminder 1 of 2' }), {});
    await channel().send(
      webhookNotification(r.url, { id: 'offsite/question-1/2', what: 'escalated to maria', to: ['maria'] }),
    );
    expect(new Set(r.deliveries.map(({ id }) => id)).size).toBe(3);
    expect(r.deliveries.map(({ type, data }) => [type, data.notice])).toEqual([
      ['question.pending', { what: 'asked', to: [] }],
      ['question.pending', { what: 'reminder 1 of 2', to: [] }],
      ['question.pending', { what: 'escalated to maria', to: ['maria'] }],
    ]);
  });

  it('is the outcome, whichever it was, as of when it was settled', async () => {
    await channel().settle(webhookResolvedCopy(r.url));
    const [{ type, data, body }] = r.deliveries as [WebhookReceiver['deliveries'][0]];
    expect([type, JSON.parse(body).timestamp]).toEqual(['question.answered', exampleAnsweredQuestion.outcome?.at]);
    expect(data.question).toEqual(exampleAnsweredQuestion);
    expect(data).not.toHaveProperty('answerUrl');
    const outcome = { at: '2026-11-18T09:30:05.000Z', via: 'timer' };
    await channel().settle(
      webhookResolvedCopy(r.url, { question: { ...exampleQuestion, status: 'timed_out', outcome } }),
    );
    expect(r.deliveries[1]).toMatchObject({
      type: 'question.answered',
      data: { question: { status: 'timed_out' } },
    });
  });

  it.each(['completed', 'failed', 'cancelled'] as const)('is the end of one that is %s', async (status) => {
    await channel().end?.(webhookConversationEnd(r.url, { status }));
    const [{ type, data, body, session }] = r.deliveries as [WebhookReceiver['deliveries'][0]];
    expect([type, session]).toEqual([`conversation.${status}`, 'offsite']);
    expect(JSON.parse(body).timestamp).toBe('2026-11-16T11:02:58.000Z');
    expect(Conversation.parse(data.conversation)).toMatchObject({ id: 'offsite', status, result: 'done' });
    expect(data).not.toHaveProperty('truncated');
  });

  it('is the same to the byte however often it is sent, and signed anew', async () => {
    jest.useFakeTimers({
      doNotFake: ['setTimeout', 'clearTimeout', 'nextTick', 'setImmediate', 'queueMicrotask'],
    });
    try {
      await channel().send(webhookNotification(r.url));
      jest.setSystemTime(Date.now() + 60_000);
      const told = { at: exampleQuestion.askedAt, channel: 'log', what: 'asked' };
      await channel().send(
        webhookNotification(r.url, { question: { ...exampleQuestion, notices: [told] }, isRepeat: true }),
      );
    } finally {
      jest.useRealTimers();
    }
    const [one, two] = r.deliveries as [WebhookReceiver['deliveries'][0], WebhookReceiver['deliveries'][0]];
    expect([two.id, two.body]).toEqual([one.id, one.body]);
    const [first, second] = [one, two].map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(second).toBeGreaterThanOrEqual((first ?? 0) + 60);
  });

  it('is a test that says so, and so is what came of it', async () => {
    const said = await channel().test?.(r.url);
    expect(said).toBe(
      `A question.pending of the conversation parley-test was sent to 127.0.0.1:${r.port}, which answered 204.`,
    );
    await channel().test?.(r.url);
    const [one, two] = r.deliveries;
    expect(one).toMatchObject({ type: 'question.pending', session: 'parley-test' });
    expect(one?.data).toMatchObject({
      answerUrl: 'https://parley.example.com/v1/conversations/parley-test/questions/question-test/answer',
      notice: { what: 'a test: nobody waits for an answer' },
    });
    expect(Question.parse(one?.data.question).conversationId).toBe('parley-test');
    expect(two?.id).not.toBe(one?.id);
    r.answers(500);
    const failed = channel().test?.(r.url) ?? Promise.resolve();
    expect((await failure(failed)).message).toBe(`127.0.0.1:${r.port} answered 500.`);
  });
});

describe('what a receiver answers', () => {
  it.each([200, 201, 202, 204, 299])('%i is taken', async (status) => {
    r.answers(status);
    await channel().send(webhookNotification(r.url));
    expect(r.deliveries).toHaveLength(1);
  });

  it.each([300, 301, 304, 307, 400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504])(
    '%i is tried again',
    async (status) => {
      r.answers(status);
      const error = await failure(channel().send(webhookNotification(r.url)));
      expect(error).toMatchObject({ isFinal: false, isGone: false, retryAfterMs: undefined });
      expect(error.message).toContain(String(status));
    },
  );

  it('410 is the last that is sent', async () => {
    r.answers(410);
    const error = await failure(channel().settle(webhookResolvedCopy(r.url)));
    expect(error).toMatchObject({ isFinal: true, isGone: true });
    expect(error.message).toMatch(/answered 410: it wants no more webhooks/);
  });

  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toUTCString();
  it.each([
    ['seconds', 503, '120', 120_000, 120_000],
    ['seconds, of too many', 429, '90', 90_000, 90_000],
    ['a date', 503, inHours(1), 3_500_000, 3_600_000],
    ['a week', 503, '604800', 6 * 3_600_000, 6 * 3_600_000],
    ['a date in a year', 429, inHours(8_760), 6 * 3_600_000, 6 * 3_600_000],
  ])('Retry-After in %s is heeded, with %i', async (_what, status, said, least, most) => {
    r.answers((response) => response.writeHead(status, { 'retry-after': said }).end());
    const { retryAfterMs } = await failure(channel().send(webhookNotification(r.url)));
    expect(retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(retryAfterMs).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a date that is past', 503, inHours(-1)],
    ['nonsense', 503, 'soon'],
    ['a negative number', 429, '-5'],
    ['another status', 500, '120'],
  ])('Retry-After with %s is not', async (_what, status, said) => {
    r.answers((response) => response.writeHead(status, { 'retry-after': said }).end());
    expect((await failure(channel().send(webhookNotification(r.url)))).retryAfterMs).toBeUndefined();
  });

  it('nothing is waited for as long as is allowed, and tried again', async () => {
    r.answers(() => undefined);
    const error = await failure(channel({ timeoutMs: 200 }).send(webhookNotification(r.url)));
    expect(error).toMatchObject({ isFinal: false });
    expect(error.message).toMatch(/No full answer came within 0.2 s/);
  });

  it('a refused connection is tried again', async () => {
    await r.stop();
    expect((await failure(channel().send(webhookNotification(r.url)))).message).toMatch(/refused the connection/);
  });

  it('a broken connection is tried again', async () => {
    r.answers((response) => response.socket?.destroy());
    expect((await failure(channel().send(webhookNotification(r.url)))).isFinal).toBe(false);
  });

  it('200 and a body that never ends is taken, and cut off', async () => {
    let closed: () => void = () => undefined;
    const isCut = new Promise<void>((resolve) => {
      closed = resolve;
    });
    r.answers((response) => {
      response.writeHead(200).write('and');
      const more = setInterval(() => response.write(' so on'), 20);
      response.once('close', () => {
        clearInterval(more);
        closed();
      });
    });
    await channel({ timeoutMs: 2_000 }).send(webhookNotification(r.url));
    await isCut;
  });

  it('200 and a huge body is taken, and not read to its end', async () => {
    let written = 0;
    let closed: () => void = () => undefined;
    const isCut = new Promise<void>((resolve) => {
      closed = resolve;
    });
    r.answers((response) => {
      const pour = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.writeHead(200).on('drain', pour).once('close', closed);
      pour();
    });
    await channel().send(webhookNotification(r.url));
    await isCut;
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it('500 and a huge or endless body is a failure like any other', async () => {
    r.answers((response) => void response.writeHead(500).write(Buffer.alloc(100_000)));
    expect((await failure(channel().send(webhookNotification(r.url)))).message).toContain('answered 500');
    r.answers((response) => void response.writeHead(500).write('and'));
    expect((await failure(channel({ timeoutMs: 2_000 }).send(webhookNotification(r.url)))).message).toContain(
      'answered 500',
    );
  });
});

describe('where there is no receiver', () => {
  it('says so for good: there is none, or it was switched off', async () => {
    const error = await channel()
      .send(webhookNotification(''))
      .catch((thrown: ChannelError) => thrown);
    expect(error).toMatchObject({ isFinal: true, isGone: false });
    expect((error as ChannelError).message).toMatch(/no receiver of webhooks.*callbackUrl/);
  });
});

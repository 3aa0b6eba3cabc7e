import type { Question } from '#contract/question';
import {
  expectSameWebhook,
  startTimeSkippingParley,
  type TimeSkippingParley,
} from '#test/support/webhook/time-skipping-parley';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

const SECRET = generateWebhookSecret();
let r: WebhookReceiver;
beforeEach(async () => {
  r = await startWebhookReceiver(SECRET, 503);
});
afterEach(() => r.stop());

const of = (type: string) => r.deliveries.filter((one) => one.type === type);

describe('a receiver that is down', () => {
  let d: TimeSkippingParley;
  beforeAll(async () => {
    d = await startTimeSkippingParley(SECRET);
  });
  afterAll(() => d.stop());
  const waited = ({ askedAt, notices: [notice] }: Question) =>
    (Date.parse(notice?.at ?? '') - Date.parse(askedAt)) / 3_600_000;

  it('for nearly three days is told once it is back, with the same id', async () => {
    const id = await d.begin(r.url);
    await d.env.sleep('69 hours');
    expect((await d.question(id)).notices).toEqual([]);
    const tries = r.deliveries.length;
    expect(tries).toBeGreaterThan(30);
    r.answers(204);
    await d.env.sleep('150 minutes');
    const question = await d.noticed(id);
    expect(question.notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(waited(question)).toBeGreaterThan(69);
    expect(r.deliveries).toHaveLength(tries + 1);
    expectSameWebhook(r.deliveries);
  });

  it('for longer is given up, and the question says so', async () => {
    const id = await d.begin(r.url);
    await d.env.sleep('4 days');
    const question = await d.noticed(id);
    expect(question.notices).toMatchObject([
      { channel: 'webhook', what: `asked: could not be sent: 127.0.0.1:${r.port} answered 503.` },
    ]);
    expect(waited(question)).toBeGreaterThan(69);
    expect(waited(question)).toBeLessThan(80);
    const tries = r.deliveries.length;
    r.answers(204);
    await d.env.sleep('1 day');
    expect(r.deliveries).toHaveLength(tries);
    expectSameWebhook(r.deliveries);
  });
});

/** A server of its own for each: once such a courier is done, this kind of server skips no more time. */
describe('a receiver that is down when the conversation ends', () => {
  it.each(['question.answered', 'conversation.completed'])('is told %s once it is back', async (type) => {
    const d = await startTimeSkippingParley(SECRET);
    r.answers(204);
    const id = await d.begin(r.url);
    await d.noticed(id);
    r.answers(503);
    expect((await d.p.answer(id, { answer: 'A' })).status).toBe(200);
    await d.p.until(id, 'completed');
    await d.env.sleep('69 hours');
    const [tries, all] = [of(type).length, r.deliveries.length];
    expect(tries).toBeGreaterThan(30);
    expect(all).toBeGreaterThan(tries + 30);
    const back = new Promise<void>((resolve) => {
      r.answers((response, delivery) => {
        if (delivery.type !== type) return response.writeHead(503).end();
        response.writeHead(204).end(resolve);
      });
    });
    await d.skip();
    await back;
    expect(of(type)).toHaveLength(tries + 1);
    expectSameWebhook(of(type));
    await d.stop();
  });
});

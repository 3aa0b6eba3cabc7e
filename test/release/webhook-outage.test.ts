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

const deliveriesOf = (type: string) => r.deliveries.filter((one) => one.type === type);

describe('a receiver that is down', () => {
  let d: TimeSkippingParley;
  beforeAll(async () => {
    d = await startTimeSkippingParley(SECRET);
  });
  afterAll(() => d.stop());
  const hoursWaited = ({ askedAt, notices: [notice] }: Question) =>
    (Date.parse(notice?.at ?? '') - Date.parse(askedAt)) / 3_600_000;

  it('for nearly three days gets the event afterwards, with the same id', async () => {
    const id = await d.startAsking(r.url);
    await d.env.sleep('69 hours');
    expect((await d.getQuestion(id)).notices).toEqual([]);
    const tries = r.deliveries.length;
    expect(tries).toBeGreaterThan(30);
    r.respondWith(204);
    await d.env.sleep('150 minutes');
    const question = await d.waitForNotice(id);
    expect(question.notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(hoursWaited(question)).toBeGreaterThan(69);
    expect(r.deliveries).toHaveLength(tries + 1);
    expectSameWebhook(r.deliveries);
  });

  it('for longer is given up, and the question says so', async () => {
    const id = await d.startAsking(r.url);
    await d.env.sleep('4 days');
    const question = await d.waitForNotice(id);
    expect(question.notices).toMatchObject([
      { channel: 'webhook', what: `asked: could not be sent: 127.0.0.1:${r.port} responded 503.` },
    ]);
    expect(hoursWaited(question)).toBeGreaterThan(69);
    expect(hoursWaited(question)).toBeLessThan(80);
    const tries = r.deliveries.length;
    r.respondWith(204);
    await d.env.sleep('1 day');
    expect(r.deliveries).toHaveLength(tries);
    expectSameWebhook(r.deliveries);
  });
});

/** A separate server for each: after such a delivery, this kind of server no longer skips time. */
describe('a receiver that is down when the conversation ends', () => {
  it.each(['question.answered', 'conversation.completed'])('gets %s afterwards', async (type) => {
    const d = await startTimeSkippingParley(SECRET);
    r.respondWith(204);
    const id = await d.startAsking(r.url);
    await d.waitForNotice(id);
    r.respondWith(503);
    expect((await d.p.answer(id, { answer: 'A' })).status).toBe(200);
    await d.p.waitForStatus(id, 'completed');
    await d.env.sleep('69 hours');
    const [tries, all] = [deliveriesOf(type).length, r.deliveries.length];
    expect(tries).toBeGreaterThan(30);
    expect(all).toBeGreaterThan(tries + 30);
    const delivered = new Promise<void>((resolve) => {
      r.respondWith((response, delivery) => {
        if (delivery.type !== type) return response.writeHead(503).end();
        response.writeHead(204).end(resolve);
      });
    });
    await d.startSkippingTime();
    await delivered;
    expect(deliveriesOf(type)).toHaveLength(tries + 1);
    expectSameWebhook(deliveriesOf(type));
    await d.stop();
  });
});

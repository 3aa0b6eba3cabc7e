import { startTimeSkippingParley, type TimeSkippingParley } from '#test/support/webhook/time-skipping-parley';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

/** Days of retries are in test/release/webhook-outage.test.ts. */
describe('a receiver that is down', () => {
  const secret = generateWebhookSecret();
  let parley: TimeSkippingParley;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    parley = await startTimeSkippingParley(secret);
    receiver = await startWebhookReceiver(secret, 503);
  });
  afterAll(async () => {
    await parley.stop();
    await receiver.stop();
  });

  it('is retried when it says, and not before', async () => {
    receiver.respondWith((response, _, index) =>
      index === 0 ? response.writeHead(503, { 'retry-after': '18000' }).end() : response.writeHead(204).end(),
    );
    const id = await parley.startAsking(receiver.url);
    await receiver.waitForDeliveries(1);
    await parley.env.sleep('299 minutes');
    expect(receiver.deliveries).toHaveLength(1);
    await parley.env.sleep('2 minutes');
    await parley.waitForNotice(id);
    expect(receiver.deliveries).toHaveLength(2);
  });
});

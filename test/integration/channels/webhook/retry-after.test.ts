import { startTimeSkippingParley, type TimeSkippingParley } from '#test/support/webhook/time-skipping-parley';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

/** Days of retries are in test/release/webhook-outage.test.ts. */
describe('a receiver that is down', () => {
  const secret = generateWebhookSecret();
  let d: TimeSkippingParley;
  let r: WebhookReceiver;
  beforeAll(async () => {
    d = await startTimeSkippingParley(secret);
    r = await startWebhookReceiver(secret, 503);
  });
  afterAll(async () => {
    await d.stop();
    await r.stop();
  });

  it('is asked again when it says, and not before', async () => {
    r.answers((response, _, index) =>
      index === 0 ? response.writeHead(503, { 'retry-after': '18000' }).end() : response.writeHead(204).end(),
    );
    const id = await d.begin(r.url);
    await r.until(1);
    await d.env.sleep('299 minutes');
    expect(r.deliveries).toHaveLength(1);
    await d.env.sleep('2 minutes');
    await d.noticed(id);
    expect(r.deliveries).toHaveLength(2);
  });
});

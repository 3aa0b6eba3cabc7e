import { type Days, days } from '#test/support/channels/webhook/days';
import { makeSecret } from '#test/support/channels/webhook/given';
import { type Receiver, receiver } from '#test/support/channels/webhook/receiver';

/** Days of retries are in test/release/three-days.test.ts. */
describe('a receiver that is down', () => {
  const secret = makeSecret();
  let d: Days;
  let r: Receiver;
  beforeAll(async () => {
    d = await days(secret);
    r = await receiver(secret, 503);
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

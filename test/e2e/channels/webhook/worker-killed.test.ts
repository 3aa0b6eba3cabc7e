import { type RunningProcess, startNodeProcess } from '#test/support/child-process';
import {
  expectSameWebhook,
  startTimeSkippingParley,
  type TimeSkippingParley,
} from '#test/support/webhook/time-skipping-parley';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

const SECRET = generateWebhookSecret();

describe('a worker killed after it sent and before that was known', () => {
  let d: TimeSkippingParley;
  let r: WebhookReceiver;
  let worker: RunningProcess;
  beforeEach(async () => {
    d = await startTimeSkippingParley(SECRET);
    r = await startWebhookReceiver(SECRET);
    await d.p.stopWorker();
    worker = startNodeProcess('test/support/recording-tool-worker.js', {
      TASK_QUEUE: d.p.taskQueue,
      // This kind of server would wait for a dead worker that has a run in its cache.
      CACHED: '0',
      TEMPORAL_ADDRESS: d.env.address,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: d.p.model.url,
      PARLEY_DATA: d.p.config.data,
      PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`,
    });
    await worker.until(/running/);
  });
  afterEach(async () => {
    worker.child.kill('SIGKILL');
    await r.stop();
    await d.stop();
  });

  /** The receiver has them and says nothing; the worker goes, another comes, and the receiver answers again. */
  async function killWith(deliveries: number): Promise<void> {
    worker.child.kill('SIGKILL');
    expect(await worker.ended).toBe('SIGKILL');
    r.answers(204);
    await d.p.startWorker();
    await skipMinute(deliveries);
  }

  /** Nearly the minute after which they count as lost: no time is skipped while they may still run, so that is made up for. */
  async function skipMinute(running: number): Promise<void> {
    for (let n = 0; n < running; n += 1) await d.skip();
    await d.env.sleep('58 seconds');
    for (let n = 0; n < running; n += 1) await d.unskip();
  }

  it('leaves it to the next one, which sends the same, under the same id', async () => {
    r.answers(() => undefined);
    const id = await d.begin(r.url);
    await r.until(1);
    await killWith(1);
    expect((await d.noticed(id)).notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(r.deliveries.map(({ type }) => type)).toEqual(['question.pending', 'question.pending']);
    expectSameWebhook(r.deliveries);
  });

  it('leaves outcome and end to the next one, too', async () => {
    const id = await d.begin(r.url);
    await d.noticed(id);
    r.answers(() => undefined);
    await d.p.answer(id, { answer: 'A' });
    await d.p.until(id, 'completed');
    await r.until(3);
    await killWith(2);
    await r.until(5);
    for (const told of ['question.answered', 'conversation.completed']) {
      const deliveries = r.deliveries.filter(({ type }) => type === told);
      expect(deliveries).toHaveLength(2);
      expectSameWebhook(deliveries);
    }
  });
});

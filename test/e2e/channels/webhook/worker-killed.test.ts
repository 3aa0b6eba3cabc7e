import { type RunningProcess, startNodeProcess } from '#test/support/child-process';
import {
  expectSameWebhook,
  startTimeSkippingParley,
  type TimeSkippingParley,
} from '#test/support/webhook/time-skipping-parley';
import { startWebhookReceiver, type WebhookReceiver } from '#test/support/webhook/webhook-receiver';
import { generateWebhookSecret } from '#test/support/webhook/webhook-samples';

const SECRET = generateWebhookSecret();

describe('a worker killed between sending a webhook and recording it', () => {
  let parley: TimeSkippingParley;
  let receiver: WebhookReceiver;
  let worker: RunningProcess;
  beforeEach(async () => {
    parley = await startTimeSkippingParley(SECRET);
    receiver = await startWebhookReceiver(SECRET);
    await parley.p.stopWorker();
    worker = startNodeProcess('test/support/recording-tool-worker.js', {
      TASK_QUEUE: parley.p.taskQueue,
      // This kind of server would wait for a dead worker that has a run in its cache.
      CACHED: '0',
      TEMPORAL_ADDRESS: parley.env.address,
      ANTHROPIC_API_KEY: 'test',
      ANTHROPIC_BASE_URL: parley.p.model.url,
      PARLEY_DATA: parley.p.config.dataFolder,
      PARLEY_WEBHOOK_SECRETS: `*=${SECRET}`,
    });
    await worker.waitForOutput(/running/);
  });
  afterEach(async () => {
    worker.child.kill('SIGKILL');
    await receiver.stop();
    await parley.stop();
  });

  /**
   * The receiver gets the events and does not respond; the worker is killed, another starts, and the receiver responds
   * again.
   */
  async function killWith(deliveries: number): Promise<void> {
    worker.child.kill('SIGKILL');
    expect(await worker.exited).toBe('SIGKILL');
    receiver.respondWith(204);
    await parley.p.startWorker();
    await skipMinute(deliveries);
  }

  /** Skips nearly the minute after which they count as lost. Real time that passes while they run makes up the rest. */
  async function skipMinute(running: number): Promise<void> {
    for (let n = 0; n < running; n += 1) await parley.startSkippingTime();
    await parley.env.sleep('58 seconds');
    for (let n = 0; n < running; n += 1) await parley.stopSkippingTime();
  }

  it('leaves the webhook to the next worker, which sends the same one under the same id', async () => {
    receiver.respondWith(() => undefined);
    const id = await parley.startAsking(receiver.url);
    await receiver.waitForDeliveries(1);
    await killWith(1);
    expect((await parley.waitForNotice(id)).notices).toMatchObject([{ channel: 'webhook', what: 'asked' }]);
    expect(receiver.deliveries.map(({ type }) => type)).toEqual(['question.pending', 'question.pending']);
    expectSameWebhook(receiver.deliveries);
  });

  it('leaves the outcome and the end to the next worker, too', async () => {
    const id = await parley.startAsking(receiver.url);
    await parley.waitForNotice(id);
    receiver.respondWith(() => undefined);
    await parley.p.answer(id, { answer: 'A' });
    await parley.p.waitForStatus(id, 'completed');
    await receiver.waitForDeliveries(3);
    await killWith(2);
    await receiver.waitForDeliveries(5);
    for (const eventType of ['question.answered', 'conversation.completed']) {
      const deliveries = receiver.deliveries.filter(({ type }) => type === eventType);
      expect(deliveries).toHaveLength(2);
      expectSameWebhook(deliveries);
    }
  });
});

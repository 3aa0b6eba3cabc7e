import type { TestService } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Question } from '#contract/question';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';
import { startTimeSkippingServer } from '#test/support/temporal/time-skipping-server';
import type { ReceivedWebhook } from './webhook-receiver';

export interface TimeSkippingParley {
  env: TestWorkflowEnvironment;
  p: TestParley;
  /** Start a conversation that asks and waits for ever, and give its id. */
  begin(callbackUrl: string): Promise<string>;
  question(id: string): Promise<Question>;
  /** Until somebody was told of the question, or it was given up. */
  noticed(id: string): Promise<Question>;
  /** Let time fly from now on, once more than it is let already. */
  skip(): Promise<void>;
  /** Let it pass as it does, once more. */
  unskip(): Promise<void>;
  stop(): Promise<void>;
}

/** A whole Parley where days pass in seconds. One test at a time: time is the environment's, not the test's. */
export async function startTimeSkippingParley(secret: string): Promise<TimeSkippingParley> {
  const env = await startTimeSkippingServer();
  const p = await startParley({
    script: (request) =>
      lastToolResults(request).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B'),
    address: env.address,
    env: { PARLEY_WEBHOOK_SECRETS: `*=${secret}` },
  });
  const { testService } = env.connection as { testService?: TestService };
  const self: TimeSkippingParley = {
    env,
    p,
    async begin(callbackUrl) {
      const id = await p.start('Hello', { callbackUrl, question: { timeout: 'never' } });
      await p.question(id);
      return id;
    },
    question: async (id) => (await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`)).body,
    async noticed(id) {
      for (;;) {
        const question = await self.question(id);
        if (question.notices.length > 0) return question;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    },
    async skip() {
      await testService?.unlockTimeSkipping({});
    },
    async unskip() {
      await testService?.lockTimeSkipping({});
    },
    async stop() {
      await p.stop();
      await env.teardown();
    },
  };
  return self;
}

/** Sent again, and never changed. */
export function expectSameWebhook(deliveries: ReceivedWebhook[]): void {
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
  expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
}

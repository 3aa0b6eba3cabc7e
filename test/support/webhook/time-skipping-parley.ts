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
  /** Starts a conversation whose question never expires; returns its id. */
  startAsking(callbackUrl: string): Promise<string>;
  getQuestion(id: string): Promise<Question>;
  /** Waits until the notification was sent, or was given up. */
  waitForNotice(id: string): Promise<Question>;
  /** Starts skipping time; nests with `stopSkippingTime`. */
  startSkippingTime(): Promise<void>;
  /** Stops skipping time. */
  stopSkippingTime(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Parley where days pass in seconds. One test at a time, as time belongs to the environment, not the test. */
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
    async startAsking(callbackUrl) {
      const id = await p.startConversation('Hello', { callbackUrl, question: { timeout: 'never' } });
      await p.waitForQuestion(id);
      return id;
    },
    getQuestion: async (id) => (await p.call<Question>('GET', `/v1/conversations/${id}/questions/latest`)).body,
    async waitForNotice(id) {
      for (;;) {
        const question = await self.getQuestion(id);
        if (question.notices.length > 0) return question;
        await new Promise((resolve) => setTimeout(resolve, 15));
      }
    },
    async startSkippingTime() {
      await testService?.unlockTimeSkipping({});
    },
    async stopSkippingTime() {
      await testService?.lockTimeSkipping({});
    },
    async stop() {
      await p.stop();
      await env.teardown();
    },
  };
  return self;
}

/** Expects all deliveries to be repeats of the same webhook. */
export function expectSameWebhook(deliveries: ReceivedWebhook[]): void {
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(1);
  expect(new Set(deliveries.map(({ body }) => body)).size).toBe(1);
}

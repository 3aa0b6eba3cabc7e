import { TestWorkflowEnvironment } from '@temporalio/testing';
import { createTestDataConverter } from '#test/support/parley/encryption';
import { installTestRuntime } from './runtime';

const START_ATTEMPTS = 5;

/**
 * Starts a time-skipping server. Retries, as the SDK allows it five seconds to start, which may be too short on a busy
 * machine.
 */
export async function startTimeSkippingServer(): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path' as const, path: process.env.PARLEY_TEST_SERVER ?? '' };
  installTestRuntime();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable },
        client: { dataConverter: createTestDataConverter() },
      });
    } catch (error) {
      if (attempt === START_ATTEMPTS || !/did not start within/.test((error as Error).message)) throw error;
    }
  }
}

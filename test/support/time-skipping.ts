import { TestWorkflowEnvironment } from '@temporalio/testing';
import { testConverter } from './encryption';
import { installOnce } from './runtime';

const ATTEMPTS = 5;

/** A server on which days pass in a second. The SDK gives it five seconds to start, which a busy machine may not have. */
export async function timeSkipping(): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path' as const, path: process.env.PARLEY_TEST_SERVER ?? '' };
  installOnce();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await TestWorkflowEnvironment.createTimeSkipping({
        server: { executable },
        client: { dataConverter: testConverter() },
      });
    } catch (error) {
      if (attempt === ATTEMPTS || !/did not start within/.test((error as Error).message)) throw error;
    }
  }
}

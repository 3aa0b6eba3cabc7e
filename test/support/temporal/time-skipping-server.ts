import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { findFreePort, isPortAnswering } from '#infra/temporal/dev-server/ports';
import { createTestDataConverter } from '#test/support/parley/encryption';
import { installTestRuntime } from './runtime';

/** A last resort: a Java server takes seconds to start, and minutes on a machine that is very busy. */
const START_TIMEOUT_MS = 180_000;

/** The SDK's own factory, which it hides: the public ones start the server themselves and allow it five seconds. */
const environments = TestWorkflowEnvironment as unknown as {
  create(options: object): Promise<TestWorkflowEnvironment>;
};

/** Starts a time-skipping server, however long that takes. */
export async function startTimeSkippingServer(): Promise<TestWorkflowEnvironment> {
  installTestRuntime();
  const port = await findFreePort(randomInt(20_000, 32_000));
  // Without `--enable-time-skipping`, which would skip from the start: the SDK expects to unlock skipping itself.
  const server = spawn(process.env.PARLEY_TEST_SERVER ?? '', [String(port)], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  // Tests that time out skip their teardown.
  process.once('exit', () => server.kill('SIGKILL'));
  for (const deadline = Date.now() + START_TIMEOUT_MS; !(await isPortAnswering(port)); ) {
    if (server.exitCode !== null || Date.now() > deadline) throw new Error('The time-skipping server did not start.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const env = await environments.create({
    server: { type: 'existing' },
    address: `127.0.0.1:${port}`,
    supportsTimeSkipping: true,
    client: { dataConverter: createTestDataConverter() },
  });
  const closeConnections = env.teardown.bind(env);
  return Object.assign(env, {
    async teardown() {
      await closeConnections();
      server.kill('SIGKILL');
      await exited;
    },
  });
}

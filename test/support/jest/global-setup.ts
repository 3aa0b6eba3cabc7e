import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#channels/read-config';
import { createTemporalClient } from '#infra/temporal/client';
import { startDevServer } from '#infra/temporal/dev-server/dev-server';
import { registerSearchAttributes } from '#infra/temporal/prepare-namespace';
import { findTemporalCli, readToolchain, requireProgram } from '#infra/temporal/toolchain';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { ENCRYPTED_NAMESPACE, readTestEncryptionKeys } from '#test/support/parley/encryption';
import { startPostgresServer } from '#test/support/temporal-postgres/start-postgres-server';
import { serveSharedChromium } from '#test/support/web/chromium';

/** Servers of the run, shared with global-teardown.ts through a global, as jest loads the two files separately. */
export interface TestRunServers {
  server: { stop(): Promise<void> };
  chromium: { stop(): Promise<void> };
}

declare global {
  var parleyTests: TestRunServers | undefined;
}

const NAMESPACES = ['default', ENCRYPTED_NAMESPACE];
const DIST = path.join(__dirname, '../../../dist');
/** Kept after the run: scripts/lib/count-tests-reporter.mjs prints the path when a test has failed. */
const LOG_FOLDER = path.join(DIST, 'test-logs');
const MAX_LOGS = 10;

/** Starts the dev server in memory, or a production-like one on PostgreSQL for `npm run test:postgres`. */
async function startServer(): Promise<TestRunServers['server'] & { address: string }> {
  if (process.env.PARLEY_TEST_POSTGRES) {
    const log = (sentence: string) => process.stderr.write(`${sentence}\n`);
    // PostgreSQL does not run as root, so its folder must be accessible to another user.
    const own = mkdtempSync(path.join(tmpdir(), 'parley-postgres-'));
    // No test crashes the machine, so durability is not needed, and without it tests are faster.
    return startPostgresServer({ folder: own, log, namespaces: NAMESPACES, isDurable: false });
  }
  mkdirSync(LOG_FOLDER, { recursive: true });
  // Names sort by time, so the newest are kept.
  for (const name of readdirSync(LOG_FOLDER)
    .sort()
    .slice(0, 1 - MAX_LOGS))
    rmSync(path.join(LOG_FOLDER, name));
  const logFile = path.join(LOG_FOLDER, `temporal-${new Date().toISOString().replaceAll(':', '-')}.log`);
  process.env.PARLEY_TEST_SERVER_LOG = logFile;
  const server = await startDevServer({ cli: findTemporalCli(), logFile, namespace: ENCRYPTED_NAMESPACE });
  return { address: `127.0.0.1:${server.port}`, stop: server.stop };
}

/** Starts one Temporal server for the whole run. Tests find it through the environment. */
export default async function start(): Promise<void> {
  // On a signal, jest ends without its teardown; process.exit runs the exit handlers that stop the server.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

  const server = await startServer();
  const chromium = await serveSharedChromium();
  globalThis.parleyTests = { server, chromium };
  const { address } = server;
  process.env.PARLEY_TEST_ADDRESS = address;
  process.env.PARLEY_TEST_SERVER = requireProgram(
    readToolchain().testServer,
    'Time-skipping test server not found. `npm test` installs it.',
  );

  for (const namespace of NAMESPACES) {
    const client = createTemporalClient({ ...readConfig({}).temporal, address, namespace });
    await registerSearchAttributes(client);
    await client.connection.close();
  }
  // Bundled once here, for every test that runs a worker.
  await buildWorkflowBundle(DIST, readTestEncryptionKeys());
}

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#infra/config';
import { createTemporalClient } from '#infra/temporal/client';
import { startDevServer } from '#infra/temporal/dev-server/dev-server';
import { registerSearchAttributes } from '#infra/temporal/prepare-namespace';
import { findTemporalCli, findTestServer } from '#infra/temporal/toolchain';
import { buildWorkflowBundle } from '#infra/temporal/workflow-bundle';
import { ENCRYPTED_NAMESPACE, readTestEncryptionKeys } from '#test/support/parley/encryption';
import { startPostgresServer } from '#test/support/temporal-postgres/start-postgres-server';
import { serveSharedChromium } from '#test/support/web/chromium';

/** What the run started, left here for stop.ts: jest loads the two apart. */
export interface TestRunServers {
  server: { stop(): Promise<void> };
  chromium: { stop(): Promise<void> };
}

declare global {
  var parleyTests: TestRunServers | undefined;
}

const NAMESPACES = ['default', ENCRYPTED_NAMESPACE];
const DIST = path.join(__dirname, '../../../dist');
/** Kept after the run: scripts/lib/count-tests-reporter.mjs says where it is when a test has failed. */
const LOG_FOLDER = path.join(DIST, 'test-logs');
const MAX_LOGS = 10;

/** The server for development, in memory; or one as production has it, on PostgreSQL: `npm run test:postgres`. */
async function startServer(): Promise<TestRunServers['server'] & { address: string }> {
  if (process.env.PARLEY_TEST_POSTGRES) {
    const log = (sentence: string) => process.stderr.write(`${sentence}\n`);
    // A folder that somebody else may get into: PostgreSQL does not run as root.
    const own = mkdtempSync(path.join(tmpdir(), 'parley-postgres-'));
    // No test brings the machine down, and each waits less.
    return startPostgresServer({ folder: own, log, namespaces: NAMESPACES, isDurable: false });
  }
  mkdirSync(LOG_FOLDER, { recursive: true });
  // By their names in the order of time: the newest stay.
  for (const name of readdirSync(LOG_FOLDER)
    .sort()
    .slice(0, 1 - MAX_LOGS))
    rmSync(path.join(LOG_FOLDER, name));
  const logFile = path.join(LOG_FOLDER, `temporal-${new Date().toISOString().replaceAll(':', '-')}.log`);
  process.env.PARLEY_TEST_SERVER_LOG = logFile;
  const server = await startDevServer({ cli: findTemporalCli(), logFile, namespace: ENCRYPTED_NAMESPACE });
  return { address: `127.0.0.1:${server.port}`, stop: server.stop };
}

/** One Temporal server for the whole run. Tests find it by the environment. */
export default async function start(): Promise<void> {
  // jest ends at a signal without its teardown; leaving by the door stops the server on the way out.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

  const server = await startServer();
  const chromium = await serveSharedChromium();
  globalThis.parleyTests = { server, chromium };
  const { address } = server;
  process.env.PARLEY_TEST_ADDRESS = address;
  process.env.PARLEY_TEST_SERVER = findTestServer();

  for (const namespace of NAMESPACES) {
    const client = createTemporalClient({ ...readConfig({}).temporal, address, namespace });
    await registerSearchAttributes(client);
    await client.connection.close();
  }
  // Bundled here, once, for every test that runs a worker.
  await buildWorkflowBundle(DIST, readTestEncryptionKeys());
}

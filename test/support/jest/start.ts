import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '#config';
import { lazyClient } from '#temporal/connect';
import { startDevServer } from '#temporal/local/dev-server';
import { registerAttributes } from '#temporal/search-attributes';
import { temporalCli, testServer } from '#temporal/toolchain';
import { workflowBundle } from '#temporal/workflow-bundle';
import { SEALED_NAMESPACE, testKeys } from '#test/support/encryption';
import { offerChromium } from '#test/support/web/shared-chromium';
import { startPostgresServer } from '../../../chaos/server/postgres';

/** What the run started, left here for stop.ts: jest loads the two apart. */
export interface Started {
  server: { stop(): Promise<void> };
  chromium: { stop(): Promise<void> };
}

declare global {
  var parleyTests: Started | undefined;
}

const NAMESPACES = ['default', SEALED_NAMESPACE];
const DIST = path.join(__dirname, '../../../dist');
/** Kept after the run: scripts/count-tests.mjs says where it is when a test has failed. */
const LOGS = path.join(DIST, 'test-logs');
const LOGS_KEPT = 10;

/** The server for development, in memory; or one as production has it, on PostgreSQL: `npm run test:postgres`. */
async function startServer(): Promise<Started['server'] & { address: string }> {
  if (process.env.PARLEY_TEST_POSTGRES) {
    const log = (sentence: string) => process.stderr.write(`${sentence}\n`);
    // A folder that somebody else may get into: PostgreSQL does not run as root.
    const own = mkdtempSync(path.join(tmpdir(), 'parley-postgres-'));
    // No test brings the machine down, and each waits less.
    return startPostgresServer({ folder: own, log, namespaces: NAMESPACES, isDurable: false });
  }
  mkdirSync(LOGS, { recursive: true });
  // By their names in the order of time: the newest stay.
  for (const name of readdirSync(LOGS)
    .sort()
    .slice(0, 1 - LOGS_KEPT))
    rmSync(path.join(LOGS, name));
  const logFile = path.join(LOGS, `temporal-${new Date().toISOString().replaceAll(':', '-')}.log`);
  process.env.PARLEY_TEST_SERVER_LOG = logFile;
  const server = await startDevServer({ cli: temporalCli(), logFile, namespace: SEALED_NAMESPACE });
  return { address: `127.0.0.1:${server.port}`, stop: server.stop };
}

/** One Temporal server for the whole run. Tests find it by the environment. */
export default async function start(): Promise<void> {
  // jest ends at a signal without its teardown; leaving by the door stops the server on the way out.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(130));

  const server = await startServer();
  const chromium = await offerChromium();
  globalThis.parleyTests = { server, chromium };
  const { address } = server;
  process.env.PARLEY_TEST_ADDRESS = address;
  process.env.PARLEY_TEST_SERVER = testServer();

  for (const namespace of NAMESPACES) {
    const client = lazyClient({ ...readConfig({}).temporal, address, namespace });
    await registerAttributes(client);
    await client.connection.close();
  }
  // Bundled here, once, for every test that runs a worker.
  await workflowBundle(DIST, testKeys());
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config';
import { lazyClient } from '../../src/temporal/connect';
import { type DevServer, startDevServer } from '../../src/temporal/local/dev-server';
import { registerAttributes } from '../../src/temporal/search-attributes';
import { temporalCli, testServer } from '../../src/temporal/toolchain';
import { workflowBundle } from '../../src/temporal/workflow-bundle';
import { SEALED_NAMESPACE, testKeys } from '../helpers/encryption';

/** What the run started, left here for stop.ts: jest loads the two apart. */
export interface Started {
  server: DevServer;
  folder: string;
}

declare global {
  var parleyTests: Started | undefined;
}

/** One Temporal server, in memory, for the whole run. Tests find it by the environment. */
export default async function start(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // jest ends at a signal without its teardown; leaving by the door stops the server on the way out.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => process.exit(130));

  const server = await startDevServer({
    cli: temporalCli(),
    logFile: path.join(folder, 'temporal.log'),
    namespace: SEALED_NAMESPACE,
  });
  globalThis.parleyTests = { server, folder };
  process.env.PARLEY_TEST_ADDRESS = `127.0.0.1:${server.port}`;
  process.env.PARLEY_TEST_UI = `http://127.0.0.1:${server.uiPort}`;
  process.env.PARLEY_TEST_SERVER = testServer();

  const address = process.env.PARLEY_TEST_ADDRESS;
  for (const namespace of ['default', SEALED_NAMESPACE]) {
    const client = lazyClient({ ...readConfig({}).temporal, address, namespace });
    await registerAttributes(client);
    await client.connection.close();
  }
  // Bundled here, once, for every test that runs a worker.
  const dist = path.join(__dirname, '..', '..', 'dist');
  await workflowBundle(dist, testKeys());
}

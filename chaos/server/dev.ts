import { rmSync } from 'node:fs';
import path from 'node:path';
import { type DevServer, startDevServer } from '#temporal/local/dev-server';
import { temporalCli } from '#temporal/toolchain';
import type { TemporalServer } from './server';

/** Temporal's dev server on a file, so that what it took outlives a `kill -9`. It comes back on the same port. */
export async function startDevTemporal(folder: string, dynamic: string[]): Promise<TemporalServer> {
  const options = {
    cli: temporalCli(),
    dbFilename: path.join(folder, 'temporal.db'),
    logFile: path.join(folder, 'temporal.log'),
    detached: true,
    dynamic,
  };
  let server: DevServer = await startDevServer(options);
  const { port, uiPort } = server;
  let isUp = true;
  const watch = (started: DevServer) => {
    server = started;
    isUp = true;
    void started.exited.then(() => {
      isUp = false;
    });
  };
  watch(server);
  return {
    address: `127.0.0.1:${port}`,
    parts: [
      {
        name: 'temporal',
        pid: () => server.pid,
        isUp: () => isUp,
        start: async () => watch(await startDevServer({ ...options, port, uiPort })),
      },
    ],
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

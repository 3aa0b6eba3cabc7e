import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DevServer, startDevServer } from '#infra/temporal/dev-server/dev-server';
import { findTemporalCli } from '#infra/temporal/toolchain';
import type { ServerProcess, TemporalServer } from '#test/support/temporal-postgres/server-process';

/**
 * Starts Temporal's dev server with a database file, so that its state survives `kill -9`. It restarts on the same
 * port.
 */
export async function startRestartableDevServer(folder: string, dynamicConfig: string[]): Promise<TemporalServer> {
  const options = {
    cli: findTemporalCli(),
    dbFilename: path.join(folder, 'temporal.db'),
    logFile: path.join(folder, 'temporal.log'),
    detached: true,
    dynamicConfig,
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

/** Parts that a fault has killed and will restart itself. */
const downOnPurpose = new Set<ServerProcess>();

/** Kills these parts and restarts them after a while, dependencies first. */
export async function restartServerProcesses(parts: ServerProcess[], wait: () => Promise<unknown>): Promise<void> {
  for (const part of parts) downOnPurpose.add(part);
  try {
    for (const part of parts) if (part.isUp()) process.kill(part.pid(), 'SIGKILL');
    await wait();
    while (parts.some((part) => part.isUp())) await pause(20);
    for (const part of [...parts].sort(postgresFirst)) await part.start();
  } finally {
    for (const part of parts) downOnPurpose.delete(part);
  }
}

const postgresFirst = (a: ServerProcess, b: ServerProcess) =>
  Number(b.name === 'postgres') - Number(a.name === 'postgres');

const CHECK_INTERVAL_MS = 500;

/** Restarts parts that exit by themselves, as an operator would, for example when the database failed. */
export function restartCrashedProcesses({ parts }: TemporalServer, onEnded: (name: string) => void): { stop(): void } {
  const starting = new Set<ServerProcess>();
  const check = () => {
    for (const part of parts.filter((one) => !one.isUp() && !downOnPurpose.has(one) && !starting.has(one))) {
      starting.add(part);
      onEnded(part.name);
      // Retried at the next check.
      part
        .start()
        .catch(() => undefined)
        .finally(() => starting.delete(part));
    }
  };
  const timer = setInterval(check, CHECK_INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

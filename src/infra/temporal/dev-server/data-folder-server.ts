import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lockDataFolder } from './data-folder-lock';
import { type DevServer, type DevServerOptions, startDevServer } from './dev-server';
import { findServersOnDatabase } from './process-table';

export interface LocalServerOptions extends Pick<DevServerOptions, 'cli' | 'namespace' | 'codecUrl' | 'retentionMs'> {
  /** Holds temporal.db, temporal.log and temporal.json, which describes the running server. */
  dataDir: string;
  log: (message: string) => void;
}

export type LocalServer = Awaited<ReturnType<typeof startLocalServer>>;

const ORPHAN_STOP_TIMEOUT_MS = 5_000;

/** Starts the Temporal server of this data folder. Throws if another Parley uses the folder. */
export async function startLocalServer({ dataDir, log, ...options }: LocalServerOptions) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // Resolve symlinks, so that one folder always has one name: claims and orphans are found by it.
  const folder = realpathSync(dataDir);
  const release = await lockDataFolder(folder);
  try {
    const dbFilename = path.join(folder, 'temporal.db');
    await stopOrphanedServers(dbFilename, log);
    const logFile = path.join(folder, 'temporal.log');
    const server = await startDevServer({ ...options, dbFilename, logFile, detached: true });
    if (server.port !== 7233) log(`Port 7233 is in use: the Temporal server uses ${server.port}.`);
    return recordOwnedServer(server, folder, release);
  } catch (error) {
    release();
    throw error;
  }
}

function recordOwnedServer(server: DevServer, folder: string, release: () => void) {
  const recordFile = path.join(folder, 'temporal.json');
  const { pid, port, uiPort } = server;
  const serverInfo = { pid, ownerPid: process.pid, port, uiPort, startedAt: new Date().toISOString() };
  writeFileSync(recordFile, `${JSON.stringify(serverInfo, null, 2)}\n`);
  const exited = server.exited.then(() => {
    rmSync(recordFile, { force: true });
    release();
  });
  const stop = async () => {
    await server.stop();
    await exited;
  };
  return { address: `127.0.0.1:${port}`, uiUrl: `http://127.0.0.1:${uiPort}`, stop, exited };
}

/** Stops servers on this database. The folder is locked, so they were left behind by a killed Parley. */
async function stopOrphanedServers(dbFilename: string, log: LocalServerOptions['log']): Promise<void> {
  const orphans = findServersOnDatabase(dbFilename);
  if (orphans.length === 0) return;
  log(`Stopping the Temporal server of an earlier run (pid ${orphans.join(', ')}).`);
  const deadline = Date.now() + ORPHAN_STOP_TIMEOUT_MS;
  for (const pid of orphans) sendSignal(pid, 'SIGTERM');
  for (let remaining = orphans; remaining.length > 0; remaining = findServersOnDatabase(dbFilename)) {
    if (Date.now() > deadline) for (const pid of remaining) sendSignal(pid, 'SIGKILL');
    await pause(50);
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH means it has already exited. Missing permission is an error.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

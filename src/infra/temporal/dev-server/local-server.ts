import { chmodSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { lockDataFolder } from './data-folder-lock';
import { type DevServer, startDevServer } from './dev-server';
import { findServersOnDatabase } from './process-table';

export interface LocalServerOptions {
  /** The Temporal CLI: see toolchain.ts. */
  cli: string;
  /** Holds temporal.db, temporal.log and temporal.json, which says what runs. */
  dataDir: string;
  /** Made where it is not `default`. */
  namespace?: string;
  /** Where its UI has payloads decoded. */
  codecUrl?: string;
  /** For how long what ended is kept at least. */
  retentionMs?: number;
  /** Receives messages for the person who started the server. */
  log: (message: string) => void;
}

export interface LocalServer {
  address: string;
  uiUrl: string;
  /** Ends the server; resolves when it is gone. May be called again. */
  stop(): Promise<void>;
  /** Resolves when the server is gone, asked or not. */
  exited: Promise<void>;
}

const ORPHAN_STOP_TIMEOUT_MS = 5_000;

/** Start the Temporal server of this data folder, and be the only one to: it throws if another Parley has it. */
export async function startLocalServer({
  cli,
  dataDir,
  namespace,
  codecUrl,
  retentionMs,
  log,
}: LocalServerOptions): Promise<LocalServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  // One name for one folder, however it was reached: claims and orphans are found by it.
  const folder = realpathSync(dataDir);
  const release = await lockDataFolder(folder);
  try {
    const dbFilename = path.join(folder, 'temporal.db');
    await stopOrphanedServers(dbFilename, log);
    restrictDatabaseAccess(dbFilename);
    const server = await startDevServer({
      cli,
      dbFilename,
      logFile: path.join(folder, 'temporal.log'),
      detached: true,
      namespace,
      codecUrl,
      retentionMs,
    });
    if (server.port !== 7233) log(`Port 7233 is taken: the Temporal server is on ${server.port}.`);
    return recordOwnedServer(server, folder, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Before 0.8 the files were readable by every user of the machine. */
function restrictDatabaseAccess(dbFilename: string): void {
  for (const file of ['', '-wal', '-shm'].map((suffix) => dbFilename + suffix)) {
    try {
      chmodSync(file, 0o600);
    } catch {
      // Not there yet, or not ours to close.
    }
  }
}

function recordOwnedServer(server: DevServer, folder: string, release: () => void): LocalServer {
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

/** The folder is ours, so a server on its database is one that a killed Parley left behind. */
async function stopOrphanedServers(dbFilename: string, log: LocalServerOptions['log']): Promise<void> {
  const orphans = findServersOnDatabase(dbFilename);
  if (orphans.length === 0) return;
  log(`Stopping the Temporal server that an earlier run left behind (pid ${orphans.join(', ')}).`);
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
    // Gone already is what we want; not being allowed to is not.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

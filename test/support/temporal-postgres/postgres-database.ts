import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { PostgresPrograms } from './programs';
import type { ManagedServerProcessOptions } from './server-process';

const execFileAsync = promisify(execFile);

export const DATABASE_USER = 'temporal';

export interface PostgresDatabase {
  port: number;
  password: string;
  program: Omit<ManagedServerProcessOptions, 'onChange' | 'logFile'>;
}

/** Initialises a data folder of PostgreSQL, without starting it. */
export async function createPostgresDatabase(
  folder: string,
  port: number,
  { postgres, postgresUser }: PostgresPrograms,
  isDurable: boolean,
): Promise<PostgresDatabase> {
  const data = path.join(folder, 'postgres');
  const passwordFile = path.join(folder, 'password');
  const password = randomBytes(18).toString('base64url');
  mkdirSync(data, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (postgresUser) giveOwnership(postgresUser, folder, [data, passwordFile]);
  const options = { ...postgresUser, cwd: data, env: { PATH: process.env.PATH, LC_ALL: 'C' } };
  const initdbOptions = [
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ];
  await execFileAsync(path.join(postgres, 'initdb'), ['-D', data, '-U', DATABASE_USER, ...initdbOptions], options);
  rmSync(passwordFile);
  return {
    port,
    password,
    program: {
      name: 'postgres',
      command: path.join(postgres, 'postgres'),
      args: ['-D', data, ...listPostgresSettings(port, isDurable).flatMap((setting) => ['-c', setting])],
      options,
      waitUntilUp: (pid, signal) => waitUntilPostgresReady(data, pid, signal),
      // SIGQUIT stops it at once and frees its shared memory, which SIGKILL would leave behind.
      stopSignal: 'SIGQUIT',
    },
  };
}

/** Returns the settings: durable by default, or faster and unsafe for tests that do not need durability. */
function listPostgresSettings(port: number, isDurable: boolean): string[] {
  const fastButUnsafe = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    // Each of the four services of a Temporal server has its own connections.
    'max_connections=200',
    ...(isDurable ? [] : fastButUnsafe),
  ];
}

/** Gives PostgreSQL's user access to its folder and nothing else, as PostgreSQL does not run as root. */
function giveOwnership({ uid, gid }: { uid: number; gid: number }, folder: string, files: string[]): void {
  chmodSync(folder, 0o711);
  for (const file of files) chownSync(file, uid, gid);
  const inaccessible = listAncestors(folder).find((ancestor) => (statSync(ancestor).mode & 1) === 0);
  if (inaccessible)
    throw new Error(
      `PostgreSQL does not run as root, so it runs as user ${uid}, who cannot get into ${inaccessible}. Choose a folder elsewhere, such as one in /tmp.`,
    );
}

function listAncestors(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [] : [...listAncestors(parent), parent];
}

/** Waits for the status in its pid file, as PostgreSQL accepts connections before crash recovery is complete. */
async function waitUntilPostgresReady(data: string, pid: number, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [owner, , , , , , , status] = readIfExists(path.join(data, 'postmaster.pid')).split('\n');
    if (owner === String(pid) && status?.trim() === 'ready') return;
    await pause(25, undefined, { signal });
  }
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './ports';
import { serverArgs } from './server-args';
import { untilServing, type Wanted } from './serving';

export interface DevServerOptions extends Wanted {
  cli: string;
  /** In memory if not given. */
  dbFilename?: string;
  logFile: string;
  /** Dynamic settings of the server's own, as `name=value`, beside Parley's. */
  dynamic?: string[];
  /** Where its UI has payloads decoded. */
  codecUrl?: string;
  /** Free ones, near the usual, unless told: one that comes back has to be where it was. */
  port?: number;
  uiPort?: number;
  /** Of its log; `error` unless told. */
  logLevel?: 'error' | 'debug';
  /** A process group of its own: Ctrl-C in the terminal then reaches us alone, and we stop things in order. */
  detached?: boolean;
}

export interface DevServer {
  pid: number;
  port: number;
  uiPort: number;
  /** Ends the server; resolves when it is gone. May be called again. */
  stop(): Promise<void>;
  /** Resolves when the server is gone, asked or not. */
  exited: Promise<void>;
}

const UP_WITHIN = 30_000;
const DOWN_WITHIN = 3_000;
const PORT_TRIES = 3;
const HEARD_WITHIN = 2_000;

/** Start `temporal server start-dev` and wait until it serves. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  for (let left = PORT_TRIES; ; left -= 1) {
    const logged = sizeOf(options.logFile);
    const server = await spawnServer(options);
    const trouble = await waitFor(server, () => said(options.logFile, logged), options);
    if (!trouble) return server;
    await server.stop();
    const words = said(options.logFile, logged).trim();
    // Somebody may take a port between our look and the server's.
    if (left > 1 && /address already in use/i.test(words)) continue;
    throw new Error(`The Temporal server ${trouble}. It said:\n${words.split('\n').slice(-15).join('\n')}`);
  }
}

async function spawnServer(options: DevServerOptions): Promise<DevServer> {
  const { cli, logFile, detached } = options;
  const port = options.port ?? (await freePort(7233));
  const uiPort = options.uiPort ?? (await freePort(8233));
  const child = forOwnerOnly(() => {
    const log = openSync(logFile, 'a');
    try {
      return spawn(cli, serverArgs(port, uiPort, options), { detached, stdio: ['ignore', log, log] });
    } finally {
      closeSync(log);
    }
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${cli} cannot be started: ${error.message}`)));
  });
  return { pid: child.pid as number, port, uiPort, ...lifeOf(child) };
}

/** What is made meanwhile, and by whom is started, is for nobody else on this machine: all that people said is in it. */
function forOwnerOnly<T>(make: () => T): T {
  const usual = process.umask(0o077);
  try {
    return make();
  } finally {
    process.umask(usual);
  }
}

function lifeOf(child: ChildProcess): Pick<DevServer, 'stop' | 'exited'> {
  // If we go without having stopped it, by an exception say, it should not stay behind.
  const leave = () => child.kill();
  process.once('exit', leave);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', leave);
      resolve();
    });
  });
  let stopping: Promise<void> | undefined;
  const end = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    const impatient = setTimeout(() => child.kill('SIGKILL'), DOWN_WITHIN);
    await exited;
    clearTimeout(impatient);
  };
  const stop = () => {
    stopping ??= end();
    return stopping;
  };
  return { stop, exited };
}

/** What went wrong, if anything. */
async function waitFor(server: DevServer, words: () => string, wanted: Wanted): Promise<string | undefined> {
  const enough = new AbortController();
  try {
    return await Promise.race([
      untilUp(server.port, words, wanted, enough.signal).then(
        () => undefined,
        (error: Error) => `does not take calls: ${error.message}`,
      ),
      server.exited.then(() => 'ended as soon as it was started'),
      pause(UP_WITHIN, `did not come up in ${UP_WITHIN / 1000} s`, { signal: enough.signal }),
    ]);
  } finally {
    enough.abort();
  }
}

/**
 * Whoever took the port before our server could would answer too, and ours takes a moment to find out and end. So hear
 * it say that it has the port; one of other words need only stay alive for longer than that.
 */
async function untilUp(port: number, words: () => string, wanted: Wanted, given: AbortSignal): Promise<void> {
  await untilServing(port, given, wanted);
  const patience = Date.now() + HEARD_WITHIN;
  const heard = new RegExp(`^(Temporal )?Server: .*:${port}\\b`, 'm');
  while (!heard.test(words()) && Date.now() < patience) await pause(25, undefined, { signal: given });
}

function said(logFile: string, since: number): string {
  return readFileSync(logFile).subarray(since).toString();
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs, tsToMs } from '@temporalio/common/lib/time';
import { findFreePort, isPortAnswering } from './ports';

export interface DevServerOptions extends NamespaceRequirements {
  cli: string;
  /** SQLite file; in memory if not given. */
  dbFilename?: string;
  logFile: string;
  /** More dynamic config for the server, as `name=value`. */
  dynamicConfig?: string[];
  /** Codec endpoint with which its UI decodes payloads. */
  codecUrl?: string;
  /** Defaults to a free port near the usual one. Set it for a restarted server, which must keep its address. */
  port?: number;
  uiPort?: number;
  /** Level of the server's log; `error` by default. */
  logLevel?: 'error' | 'debug';
  /** Runs the server in its own process group: Ctrl-C then reaches only Parley, which stops things in order. */
  detached?: boolean;
}

export type DevServer = Awaited<ReturnType<typeof spawnDevServer>>;

const START_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 3_000;
const PORT_TRIES = 3;
const LOG_LINE_TIMEOUT_MS = 2_000;

/** Starts `temporal server start-dev` and waits until it is ready. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  for (let attemptsLeft = PORT_TRIES; ; attemptsLeft -= 1) {
    const logOffset = statSync(options.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const server = await spawnDevServer(options);
    const failure = await findStartFailure(server, () => readLogSince(options.logFile, logOffset), options);
    if (!failure) return server;
    await server.stop();
    const output = readLogSince(options.logFile, logOffset).trim();
    // Another process may take the port between the check and the start.
    if (attemptsLeft > 1 && /address already in use/i.test(output)) continue;
    throw new Error(`The Temporal server ${failure}. Its output:\n${output.split('\n').slice(-15).join('\n')}`);
  }
}

async function spawnDevServer(options: DevServerOptions) {
  const { cli, logFile, detached } = options;
  const port = options.port ?? (await findFreePort(7233));
  const uiPort = options.uiPort ?? (await findFreePort(8233));
  const child = withOwnerOnlyUmask(() => {
    const log = openSync(logFile, 'a');
    try {
      return spawn(cli, buildServerArgs(port, uiPort, options), { detached, stdio: ['ignore', log, log] });
    } finally {
      closeSync(log);
    }
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`Can't start ${cli}: ${error.message}`)));
  });
  return { pid: child.pid as number, port, uiPort, ...superviseChild(child) };
}

/** Makes files that the action and its processes create private to this user: they hold conversations. */
function withOwnerOnlyUmask<T>(action: () => T): T {
  const previousMask = process.umask(0o077);
  try {
    return action();
  } finally {
    process.umask(previousMask);
  }
}

function superviseChild(child: ChildProcess) {
  // The child must not outlive a parent that exits without stopping it, for example on an exception.
  const killChild = () => child.kill();
  process.once('exit', killChild);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', killChild);
      resolve();
    });
  });
  let stopPromise: Promise<void> | undefined;
  const terminate = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    const killTimer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(killTimer);
  };
  return {
    /** Stops the server; resolves once it has exited. May be called repeatedly. */
    stop: () => (stopPromise ??= terminate()),
    /** Resolves when the server has exited for any reason. */
    exited,
  };
}

async function findStartFailure(server: DevServer, readLog: () => string, requirements: NamespaceRequirements) {
  const abortController = new AbortController();
  try {
    return await Promise.race([
      waitUntilOwnPort(server.port, readLog, requirements, abortController.signal).then(
        () => undefined,
        (error: Error) => `accepts no calls: ${error.message}`,
      ),
      server.exited.then(() => 'exited at startup'),
      pause(START_TIMEOUT_MS, `did not start within ${START_TIMEOUT_MS / 1000} s`, { signal: abortController.signal }),
    ]);
  } finally {
    abortController.abort();
  }
}

/**
 * Waits for the log line with the port. Another process on the port would answer too, and the new server takes a moment
 * to notice and exit. A server that logs differently only has to stay alive until the timeout.
 */
async function waitUntilOwnPort(
  port: number,
  readLog: () => string,
  requirements: NamespaceRequirements,
  signal: AbortSignal,
): Promise<void> {
  await waitUntilDevServerReady(port, signal, requirements);
  const deadline = Date.now() + LOG_LINE_TIMEOUT_MS;
  const listeningLine = new RegExp(`^(Temporal )?Server: .*:${port}\\b`, 'm');
  while (!listeningLine.test(readLog()) && Date.now() < deadline) await pause(25, undefined, { signal });
}

function readLogSince(logFile: string, offset: number): string {
  return readFileSync(logFile).subarray(offset).toString();
}

/** Disables the HTTP API: any web page can post to a port of this machine and could start workflows. */
const NO_HTTP_HOSTS = 'frontend.httpAllowedHosts=["nobody.invalid"]';

/** Builds the arguments of `temporal`. All ports listen on loopback only. */
function buildServerArgs(
  port: number,
  uiPort: number,
  { dbFilename, namespace, codecUrl, logLevel = 'error', dynamicConfig = [] }: Partial<DevServerOptions>,
): string[] {
  const pragmas = ['journal_mode=wal', 'synchronous=1'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  // The dev server has one history shard and by default reads its queues 20 times per second.
  const queueSettings = ['transfer', 'timer', 'visibility'].map((queue) => `history.${queue}ProcessorMaxPollRPS=2000`);
  // An activity returns to the worker that scheduled it, without going through a queue.
  const settings = [...queueSettings, 'system.enableActivityEagerExecution=true', NO_HTTP_HOSTS, ...dynamicConfig];
  return [
    ...['server', 'start-dev', '--log-level', logLevel],
    ...['--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
    ...(dbFilename ? ['--db-filename', dbFilename, ...pragmas] : []),
    ...(namespace && namespace !== 'default' ? ['--namespace', namespace] : []),
    ...(codecUrl ? ['--ui-codec-endpoint', codecUrl] : []),
    ...settings.flatMap((setting) => ['--dynamic-config-value', setting]),
  ];
}

interface NamespaceRequirements {
  /** A namespace in addition to `default`. */
  namespace?: string;
  /** Minimum retention of closed workflows; the dev server's default is a day. */
  retentionMs?: number;
}

const DEFAULT_RETENTION_MS = 30 * 86_400_000;

/** Resolves once the server is ready and has its namespaces, which it creates shortly after it listens. */
async function waitUntilDevServerReady(
  port: number,
  signal: AbortSignal,
  { namespace = 'default', retentionMs = DEFAULT_RETENTION_MS }: NamespaceRequirements,
): Promise<void> {
  // Check the port first: gRPC waits a second after a refused connection.
  while (!(await isPortAnswering(port))) await pause(25, undefined, { signal });
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  try {
    for (const name of new Set(['default', namespace])) {
      while (!(await hasRetention(connection, name, retentionMs))) await pause(50, undefined, { signal });
    }
  } finally {
    await connection.close();
  }
}

/** Raises the retention of a namespace, and never lowers it: an operator may have set it. False if there is none yet. */
async function hasRetention(connection: Connection, namespace: string, retentionMs: number): Promise<boolean> {
  const { workflowService } = connection;
  try {
    const describe = () => workflowService.describeNamespace({ namespace });
    const { config } = await connection.withDeadline(Date.now() + 2_000, describe);
    if (tsToMs(config?.workflowExecutionRetentionTtl) >= retentionMs) return true;
  } catch {
    return false;
  }
  await workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retentionMs) },
  });
  return true;
}

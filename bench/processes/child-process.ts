import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { collectHeapStats } from './heap-stats';

/** Settings of a benchmark process. */
export interface BenchProcessSettings {
  address: string;
  /** The server that its activities call. */
  callbackUrl: string;
  dataDir: string;
  agents: string;
  maxCachedWorkflows: number;
  /** The part of Parley to run; by default both, as with `npm start`. */
  role?: 'worker' | 'api';
  /** Additional environment variables for Parley. */
  environment?: Record<string, string>;
  /** Worker options to try, for both subjects. */
  tuning?: Record<string, unknown>;
}

/** Resources that a process has used so far. */
export interface ResourceUsage {
  cpuMs: number;
  rssBytes: number;
  /** JavaScript heap of all threads after a collection, including buffers: less noisy than the whole process. */
  heapBytes: number;
}

export interface BenchProcess {
  /** URL of its API, if it runs one. */
  url: string;
  pid: number;
  /** Runs a garbage collection first. */
  readUsage(): Promise<ResourceUsage>;
  stop(): Promise<void>;
}

type ProcessMessage = { url: string } | { used: ResourceUsage };

/**
 * Starts a separate process, so that its usage can be attributed. `profiles` is the folder for CPU profiles, if any.
 */
export async function startBenchProcess(
  file: string,
  settings: BenchProcessSettings,
  profiles?: string,
): Promise<BenchProcess> {
  const profiling = profiles ? ['--cpu-prof', '--cpu-prof-dir', profiles] : [];
  const child = fork(path.resolve(__dirname, file), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc', '--require', require.resolve('./heap-stats'), ...profiling],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const { url } = (await nextProcessMessage(child)) as { url: string };
  return {
    url,
    pid: child.pid as number,
    async readUsage() {
      const message = nextProcessMessage(child);
      child.send('used');
      return ((await message) as { used: ResourceUsage }).used;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function nextProcessMessage(child: ChildProcess): Promise<ProcessMessage> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null, signal: string | null) =>
      reject(new Error(`A worker process exited: ${signal ?? `code ${code}`}.`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as ProcessMessage);
    });
  });
}

/** Runs in the child: starts, reports the URL, reports its usage when asked, and stops on a signal. */
export async function runBenchProcess(
  start: (settings: BenchProcessSettings) => Promise<{ url: string; stop(): Promise<unknown> }>,
): Promise<void> {
  const { url, stop } = await start(JSON.parse(process.argv[2] ?? '{}') as BenchProcessSettings);
  const leave = () => void stop().finally(() => process.exit(0));
  process.once('SIGTERM', leave);
  process.once('disconnect', leave);
  // Ctrl-C in a terminal reaches this process too; the parent stops it in order.
  process.on('SIGINT', () => undefined);
  process.on('message', () => void sendResourceUsage());
  process.send?.({ url });
}

async function sendResourceUsage(): Promise<void> {
  const { heapBytes } = await collectHeapStats();
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  process.send?.({ used: { cpuMs: (user + system) / 1_000, rssBytes: rss, heapBytes } satisfies ResourceUsage });
}

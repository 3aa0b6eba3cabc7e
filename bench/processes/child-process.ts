import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { collectHeapStats } from './heap-stats';

/** What a process of the benchmark is told at its start. */
export interface BenchProcessSettings {
  address: string;
  /** Where its activities call. */
  worldUrl: string;
  dataDir: string;
  agents: string;
  maxCachedWorkflows: number;
  /** What Parley runs in it: all of it, as `npm start` has it, unless told. */
  runs?: 'worker' | 'api';
  /** Of Parley's, beside what it needs. */
  environment?: Record<string, string>;
  /** Options of the worker to try, on both sides. */
  tuning?: Record<string, unknown>;
}

/** What a process has used so far. */
export interface ResourceUsage {
  cpuMs: number;
  rss: number;
  /** What JavaScript holds in all its threads, buffers too, after a collection: less noisy than the whole process. */
  held: number;
}

export interface BenchProcess {
  /** Of its API, where it has one. */
  url: string;
  pid: number;
  /** Has it tidy up first. */
  used(): Promise<ResourceUsage>;
  stop(): Promise<void>;
}

type ProcessMessage = { url: string } | { used: ResourceUsage };

/** Start a process of its own, so that what it uses can be told apart; where to profile it goes, if anywhere. */
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
    async used() {
      const told = nextProcessMessage(child);
      child.send('used');
      return ((await told) as { used: ResourceUsage }).used;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function nextProcessMessage(child: ChildProcess): Promise<ProcessMessage> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`A worker process ended: ${signal ?? `code ${code}`}.`));
    child.once('exit', ended);
    child.once('message', (told) => {
      child.off('exit', ended);
      resolve(told as ProcessMessage);
    });
  });
}

/** The child's side: start, say so, tell what was used when asked, and stop when told to. */
export async function runBenchProcess(
  start: (settings: BenchProcessSettings) => Promise<{ url: string; stop(): Promise<unknown> }>,
): Promise<void> {
  const { url, stop } = await start(JSON.parse(process.argv[2] ?? '{}') as BenchProcessSettings);
  const leave = () => void stop().finally(() => process.exit(0));
  process.once('SIGTERM', leave);
  process.once('disconnect', leave);
  // Ctrl-C in a terminal reaches us too; the parent stops us in order.
  process.on('SIGINT', () => undefined);
  process.on('message', () => void sendResourceUsage());
  process.send?.({ url });
}

async function sendResourceUsage(): Promise<void> {
  const { held } = await collectHeapStats();
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  process.send?.({ used: { cpuMs: (user + system) / 1_000, rss, held } satisfies ResourceUsage });
}

import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';

/** What a worker process of the benchmark is told at its start. */
export interface Settings {
  address: string;
  /** Where its activities call. */
  worldUrl: string;
  dataDir: string;
  agents: string;
  maxCachedWorkflows: number;
}

/** What a worker process has used so far. */
export interface Used {
  cpuMs: number;
  rss: number;
}

export interface Child {
  /** Of its API, where it has one. */
  url: string;
  used(): Promise<Used>;
  stop(): Promise<void>;
}

type Told = { url: string } | { used: Used };

/** Start a worker in a process of its own, so that what it uses can be told apart. */
export async function startChild(file: string, settings: Settings): Promise<Child> {
  const child = fork(path.join(__dirname, file), [JSON.stringify(settings)], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const { url } = (await next(child)) as { url: string };
  return {
    url,
    async used() {
      const told = next(child);
      child.send('used');
      return ((await told) as { used: Used }).used;
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function next(child: ChildProcess): Promise<Told> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: string | null) =>
      reject(new Error(`A worker process ended: ${signal ?? `code ${code}`}.`));
    child.once('exit', ended);
    child.once('message', (told) => {
      child.off('exit', ended);
      resolve(told as Told);
    });
  });
}

/** The child's side: start, say so, tell what was used when asked, and stop when told to. */
export async function serve(
  start: (settings: Settings) => Promise<{ url: string; stop(): Promise<unknown> }>,
): Promise<void> {
  const { url, stop } = await start(JSON.parse(process.argv[2] ?? '{}') as Settings);
  const leave = () => void stop().finally(() => process.exit(0));
  process.once('SIGTERM', leave);
  process.once('disconnect', leave);
  // Ctrl-C in a terminal reaches us too; the parent stops us in order.
  process.on('SIGINT', () => undefined);
  process.on('message', () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    process.send?.({ used: { cpuMs: (user + system) / 1_000, rss: process.memoryUsage.rss() } });
  });
  process.send?.({ url });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';

/** A process of Parley's that is started again when it ends, as whoever runs Parley would have it. */
export interface SupervisedProcess {
  name: string;
  pid(): number | undefined;
  isUp(): boolean;
  /** Whether it is restarted when it ends. */
  isSupervised(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Sets the restart delay for the next time it ends. */
  delayNextRestart(ms: number): void;
  /** Ends it for good: asked first, and then not. */
  end(): Promise<void>;
}

const RESTART_DELAY_MS = 500;
const SHUTDOWN_TIMEOUT_MS = 6_000;

export interface SupervisedProcessOptions {
  name: string;
  /** Below dist. */
  file: string;
  env: NodeJS.ProcessEnv;
  /** Where what it says goes. */
  folder: string;
  /** Called when it ended though no fault was injected into it. */
  onEnded(name: string, how: string): void;
}

export function superviseProcess({ name, file, env, folder, onEnded }: SupervisedProcessOptions): SupervisedProcess {
  let child: ChildProcess;
  let isWanted = true;
  let wasKilled = false;
  let restartDelayMs = RESTART_DELAY_MS;
  let restartTimer: NodeJS.Timeout | undefined;
  const start = () => {
    const log = openSync(path.join(folder, `${name}.log`), 'a');
    child = spawn(process.execPath, [path.join(__dirname, '../..', file)], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    const { pid } = child;
    child.once('exit', (code, signal) => {
      runningPids.delete(pid as number);
      notifyPidsChanged([...runningPids]);
      if (!isWanted) return;
      if (!wasKilled) onEnded(name, signal ?? `code ${code}`);
      wasKilled = false;
      restartTimer = setTimeout(start, restartDelayMs);
      restartDelayMs = RESTART_DELAY_MS;
    });
    if (pid) runningPids.add(pid);
    notifyPidsChanged([...runningPids]);
  };
  start();
  const isUp = () => child.exitCode === null && child.signalCode === null;
  return {
    name,
    pid: () => child.pid,
    isUp,
    isSupervised: () => isWanted,
    signal(what) {
      if (what === 'SIGKILL') wasKilled = true;
      child.kill(what);
    },
    delayNextRestart(ms) {
      restartDelayMs = ms;
    },
    async end() {
      isWanted = false;
      clearTimeout(restartTimer);
      if (!isUp()) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), SHUTDOWN_TIMEOUT_MS);
      await gone;
      clearTimeout(killTimer);
    },
  };
}

/** Those that are there, and who is told when that changes. */
const runningPids = new Set<number>();
let notifyPidsChanged: (pids: number[]) => void = () => undefined;

/** Hear which processes there are, to end them where we can no longer. */
export function watchSupervisedProcesses(listener: (pids: number[]) => void): void {
  notifyPidsChanged = listener;
  notifyPidsChanged([...runningPids]);
}

/** Whichever way we leave, they go too. */
process.on('exit', () => {
  for (const pid of runningPids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already.
    }
  }
});

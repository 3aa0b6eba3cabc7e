import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';

/** A Parley process that is restarted when it ends, as by a supervisor in production. */
export interface SupervisedProcess {
  name: string;
  pid(): number | undefined;
  isUp(): boolean;
  /** Whether it is restarted when it ends. */
  isSupervised(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Sets the restart delay for the next time it ends. */
  delayNextRestart(ms: number): void;
  /** Stops it for good: with SIGTERM, then SIGKILL. */
  end(): Promise<void>;
}

const RESTART_DELAY_MS = 500;
const SHUTDOWN_TIMEOUT_MS = 6_000;

export interface SupervisedProcessOptions {
  name: string;
  /** Path below dist. */
  file: string;
  env: NodeJS.ProcessEnv;
  /** Folder for its log. */
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

/** Running processes, and the listener for changes. */
const runningPids = new Set<number>();
let notifyPidsChanged: (pids: number[]) => void = () => undefined;

/**
 * Calls the listener with the running pids on each change, so that an outside process can end them if this one is
 * killed.
 */
export function watchSupervisedProcesses(listener: (pids: number[]) => void): void {
  notifyPidsChanged = listener;
  notifyPidsChanged([...runningPids]);
}

/** Kills the processes when this one exits for any reason. */
process.on('exit', () => {
  for (const pid of runningPids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Already exited.
    }
  }
});

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** A process of a Temporal server, into which faults can be injected. */
export interface ServerProcess {
  name: 'temporal' | 'postgres';
  pid(): number;
  /** Whether the process exists, even if it is frozen. */
  isUp(): boolean;
  /** Restarts it after it was killed; resolves when it accepts requests. */
  start(): Promise<void>;
}
export interface TemporalServer {
  address: string;
  parts: ServerProcess[];
  /** Ends everything and deletes its folder. */
  stop(): Promise<void>;
}

export interface ManagedServerProcessOptions {
  name: ServerProcess['name'];
  command: string;
  args: string[];
  options: Pick<SpawnOptions, 'env' | 'cwd' | 'uid' | 'gid'>;
  logFile: string;
  /** Resolves when the process of that pid accepts requests. */
  waitUntilUp(pid: number, signal: AbortSignal): Promise<void>;
  /** The signal that ends it at once without leaving anything behind. */
  stopSignal: NodeJS.Signals;
  /** Called when a process has started or exited. */
  onChange(): void;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 3_000;
/** A process that was just killed may still exist for a moment. */
const EXIT_GRACE_MS = 250;

/** A program that can be restarted with the same arguments. */
export class ManagedServerProcess implements ServerProcess {
  private child: ChildProcess | undefined;
  private exited: Promise<void> = Promise.resolve();

  constructor(private readonly given: ManagedServerProcessOptions) {}

  get name(): ServerProcess['name'] {
    return this.given.name;
  }

  pid(): number {
    if (this.child?.pid === undefined) throw new Error(`${this.name} was never started.`);
    return this.child.pid;
  }

  isUp(): boolean {
    return this.child?.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  /**
   * Retries for a minute if the process exits at once: its dependency may still be starting, or leftovers of a killed
   * predecessor may still be going away.
   */
  async start(): Promise<void> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    if (this.isUp()) await Promise.race([this.exited, pause(EXIT_GRACE_MS)]);
    for (;;) {
      const logged = fileSize(this.given.logFile);
      if (!this.isUp()) await this.spawn();
      if (await this.hasComeUp(deadline)) return;
      if (Date.now() < deadline) await pause(100);
      else throw new Error(`${this.name} does not come up. It said:\n${readLogTail(this.given.logFile, logged)}`);
    }
  }

  async end(): Promise<void> {
    if (!this.isUp()) return this.exited;
    // A frozen process would not receive the signal.
    this.child?.kill('SIGCONT');
    this.child?.kill(this.given.stopSignal);
    const killTimer = setTimeout(() => this.child?.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await this.exited;
    clearTimeout(killTimer);
  }

  private async spawn(): Promise<void> {
    const { command, args, options, logFile, onChange } = this.given;
    const log = openSync(logFile, 'a');
    // In its own process group, so that Ctrl-C does not reach it: this process ends things in order.
    const child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => reject(new Error(`${command} cannot be started: ${error.message}`)));
    });
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        onChange();
        resolve();
      });
    });
    this.child = child;
    onChange();
  }

  private async hasComeUp(deadline: number): Promise<boolean> {
    const abort = new AbortController();
    const { signal } = abort;
    try {
      return await Promise.race([
        this.given.waitUntilUp(this.pid(), signal).then(() => this.isUp()),
        this.exited.then(() => false),
        pause(Math.max(0, deadline - Date.now()), false, { signal }),
      ]);
    } finally {
      abort.abort();
    }
  }
}

function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function readLogTail(file: string, since: number): string {
  return readFileSync(file).subarray(since).toString().trim().split('\n').slice(-15).join('\n');
}

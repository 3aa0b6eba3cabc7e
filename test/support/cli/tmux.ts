import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findTestProgram } from '#test/support/child-process';

interface PendingTmuxCommand {
  line: string;
  resolve(output: string): void;
  reject(error: Error): void;
}

/**
 * One tmux server for all screens of this process, used in control mode: commands and replies go through pipes, so
 * reading a screen starts no process. Reports output of panes. The server ends with this process in any case, as it
 * exits when no client is attached.
 */
export class Tmux {
  private readonly client: ChildProcessWithoutNullStreams;
  private readonly pendingCommands: PendingTmuxCommand[] = [];
  private readonly listeners = new Map<string, () => void>();
  private reply: string[] | undefined;
  private partialLine = '';
  /** Commands to send once the session exists; tmux would reject them before. */
  private queuedLines: string[] | undefined = [];
  private endError: Error | undefined;

  constructor() {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-tmux-'));
    const program = findTestProgram('tmux', 'There is no tmux here. `npm test` finds or gets one.');
    const start = ['-C', 'new-session', '-s', 'screens', 'sleep 1000000'];
    this.client = spawn(program, ['-u', '-S', path.join(folder, 'socket'), '-f', '/dev/null', ...start], {
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' },
    });
    let stderr = '';
    this.client.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    this.client.stdout.setEncoding('utf8').on('data', (text) => this.onData(text));
    this.client.stdin.on('error', () => undefined);
    const end = (why: string) => this.end(new Error(`tmux ended: ${why} ${stderr}`));
    this.client.once('error', ({ message }) => end(message)).once('close', (code) => end(`code ${code}`));
    // Must not keep an otherwise idle process alive.
    this.client.unref();
    for (const stream of [this.client.stdin, this.client.stdout, this.client.stderr])
      (stream as unknown as { unref(): void }).unref();
    // Once connected, it no longer needs the socket file.
    void this.run('set-option', '-t', 'screens', 'destroy-unattached', 'on').then(
      () => rmSync(folder, { recursive: true, force: true }),
      () => undefined,
    );
  }

  /** Runs one command, after earlier ones, and returns its output. */
  run(...words: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.endError) return reject(this.endError);
      const line = words.map(quoteForTmux).join(' ');
      this.pendingCommands.push({ line, resolve, reject });
      if (this.queuedLines) this.queuedLines.push(line);
      else this.client.stdin.write(`${line}\n`);
    });
  }

  /** Calls the listener whenever that pane has new output. */
  onOutput(pane: string, listener: () => void): void {
    this.listeners.set(pane, listener);
  }

  forget(pane: string): void {
    this.listeners.delete(pane);
  }

  private onData(text: string): void {
    const lines = (this.partialLine + text).split('\n');
    this.partialLine = lines.pop() ?? '';
    for (const line of lines) this.onLine(line);
  }

  /**
   * Handles a line: `%begin`, reply and `%end` (or `%error`) for a command of this client, which end in 1, or a
   * notification.
   */
  private onLine(line: string): void {
    if (this.queuedLines && line.startsWith('%session-changed')) {
      for (const one of this.queuedLines) this.client.stdin.write(`${one}\n`);
      this.queuedLines = undefined;
    } else if (/^%begin \d+ \d+ 1$/.test(line)) this.reply = [];
    else if (this.reply && /^%(end|error) \d+ \d+ 1$/.test(line)) {
      const output = this.reply.join('\n');
      this.reply = undefined;
      const { line: command, resolve, reject } = this.pendingCommands.shift() ?? {};
      if (line.startsWith('%end')) resolve?.(output);
      else reject?.(new Error(`tmux refused: ${output}\n${command}`));
    } else if (this.reply) this.reply.push(line);
    else if (line.startsWith('%output ')) this.listeners.get(line.split(' ', 2)[1] ?? '')?.();
  }

  private end(error: Error): void {
    this.endError ??= error;
    for (const { reject } of this.pendingCommands.splice(0)) reject(this.endError);
    for (const listener of this.listeners.values()) listener();
  }
}

let sharedServer: Tmux | undefined;

/** Returns the tmux server of this process. */
export function sharedTmux(): Tmux {
  sharedServer ??= new Tmux();
  return sharedServer;
}

const ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\u001b': '\\e' };

/** Quotes a word for a tmux command line. */
function quoteForTmux(word: string): string {
  const escaped = [...word].map((one) => ESCAPES[one] ?? one.replace(/[\\"$]/, '\\$&'));
  return `"${escaped.join('')}"`;
}

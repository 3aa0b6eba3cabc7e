import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface RunningProcess {
  child: ChildProcess;
  /** Everything written to stdout and stderr. */
  output(): string;
  /** Everything written to stdout. */
  stdout(): string;
  /** Resolves with the match as soon as the output has it; rejects if the process exits first. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with its exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>;
}

/** Passes on the encryption keys of the test run. */
function encryptionEnvironment(): NodeJS.ProcessEnv {
  const { PARLEY_TEST_ENCRYPTION: keys } = process.env;
  return keys ? { PARLEY_ENCRYPTION_KEYS: keys } : {};
}

/** Starts a Node process from a file of the project. */
export function startNodeProcess(file: string, env: NodeJS.ProcessEnv, args: string[] = []): RunningProcess {
  const child = spawn(process.execPath, [path.join(__dirname, '../..', file), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...encryptionEnvironment(), ...env },
  });
  let output = '';
  let printed = '';
  const listeners = new Set<() => void>();
  const onChunk = (chunk: Buffer) => {
    output += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
    onChunk(chunk);
  });
  child.stderr.on('data', onChunk);
  const exited = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    child,
    exited,
    output: () => output,
    stdout: () => printed,
    waitForOutput: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(output);
          if (match) resolve(match);
          return match;
        };
        if (check()) return;
        listeners.add(check);
        void exited.then((exitCode) =>
          reject(new Error(`it ended (${exitCode}) before it said ${pattern}:\n${output}`)),
        );
      }),
  };
}

export interface ListeningPort {
  host: string;
  port: number;
}

/** Lists the ports on which a process listens, as the operating system reports them. */
export function listListeningPorts(pid: number): ListeningPort[] {
  return process.platform === 'linux' ? readPortsFromProc(pid) : readPortsFromLsof(pid);
}

const LISTEN_STATE = '0A';

function readPortsFromProc(pid: number): ListeningPort[] {
  const folder = `/proc/${pid}/fd`;
  const sockets = new Set(readdirSync(folder).map((fd) => readlinkSync(`${folder}/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === LISTEN_STATE && sockets.has(`socket:[${inode}]`))
      .map(([, local = '']) => local.split(':'))
      .map(([address = '', port = '']) => ({ host: parseHexHost(address), port: Number.parseInt(port, 16) })),
  );
}

/** Parses four bytes in reverse order; returns other addresses unchanged. */
function parseHexHost(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return bytes.length === 4
    ? bytes
        .reverse()
        .map((byte) => Number.parseInt(byte, 16))
        .join('.')
    : hex;
}

function readPortsFromLsof(pid: number): ListeningPort[] {
  const output = execFileSync('lsof', ['-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn']);
  return [...output.toString().matchAll(/^n(.*):(\d+)$/gm)].map(([, host = '', port]) => ({
    host,
    port: Number(port),
  }));
}

const TOOLCHAIN_FILE = path.join(__dirname, '../../dist/toolchain.json');

/** Returns the path of a program that the setup found for the tests. */
export function findTestProgram(name: 'chromium' | 'tmux', missingMessage: string): string {
  const toolchain: Record<string, string | undefined> = existsSync(TOOLCHAIN_FILE)
    ? JSON.parse(readFileSync(TOOLCHAIN_FILE, 'utf8'))
    : {};
  const file = toolchain[name];
  if (file && existsSync(file)) return file;
  throw new Error(missingMessage);
}

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

export interface RunningProcess {
  child: ChildProcess;
  /** Everything it has said. */
  said(): string;
  /** Of that, what it gave as its result. */
  printed(): string;
  /** Resolves with what matched, as soon as it was said; rejects if the process ends first. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves with its exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals>;
}

/** As the whole run has it. */
function encryptionEnvironment(): NodeJS.ProcessEnv {
  const { PARLEY_TEST_ENCRYPTION: keys } = process.env;
  return keys ? { PARLEY_ENCRYPTION_KEYS: keys } : {};
}

/** A real process of ours, by a file under the project's folder. */
export function startNodeProcess(file: string, env: NodeJS.ProcessEnv, args: string[] = []): RunningProcess {
  const child = spawn(process.execPath, [path.join(__dirname, '../..', file), ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...encryptionEnvironment(), ...env },
  });
  let text = '';
  let printed = '';
  const listeners = new Set<() => void>();
  const hear = (chunk: Buffer) => {
    text += chunk;
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
    hear(chunk);
  });
  child.stderr.on('data', hear);
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 1));
  });
  return {
    child,
    ended,
    said: () => text,
    printed: () => printed,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text);
          if (match) resolve(match);
          return match;
        };
        if (look()) return;
        listeners.add(look);
        void ended.then((how) => reject(new Error(`it ended (${how}) before it said ${pattern}:\n${text}`)));
      }),
  };
}

export interface ListeningPort {
  host: string;
  port: number;
}

/** Where a process listens, as the system knows it. */
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

/** Four bytes, the last first; an address of the other kind as it is. */
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
  const said = execFileSync('lsof', ['-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn']);
  return [...said.toString().matchAll(/^n(.*):(\d+)$/gm)].map(([, host = '', port]) => ({
    host,
    port: Number(port),
  }));
}

const TOOLCHAIN_FILE = path.join(__dirname, '../../dist/toolchain.json');

/** A program that the set-up found for the tests. */
export function findTestProgram(name: 'chromium' | 'tmux', otherwise: string): string {
  const known: Record<string, string | undefined> = existsSync(TOOLCHAIN_FILE)
    ? JSON.parse(readFileSync(TOOLCHAIN_FILE, 'utf8'))
    : {};
  const file = known[name];
  if (file && existsSync(file)) return file;
  throw new Error(otherwise);
}

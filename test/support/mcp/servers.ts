import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { McpServerConfig } from '#contract/agent';

const EVERYTHING_SERVER_PATH = path.join(
  path.dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);

/** Config of the official test server, as a program to start. */
export const everythingServerConfig = (overrides: object = {}): McpServerConfig =>
  McpServerConfig.parse({ command: process.execPath, args: [EVERYTHING_SERVER_PATH, 'stdio'], ...overrides });

export interface OddServerOptions {
  tools?: object[];
  /** Tools per page. */
  pageSize?: number;
  /** The method that it never answers. */
  silentTo?: string;
  /** Written to stderr just before it exits, which is at once. */
  dyingMessage?: string;
  /** Exits neither at the end of its input nor on SIGTERM. */
  ignoresShutdown?: boolean;
  journal?: string;
}

/** Returns a reference to a variable, as in an agent file. */
export const mcpVariableReference = (name: string) => `\${${name}}`;

/** Config of Parley's own test server, which misbehaves. */
export const oddServerConfig = (options: OddServerOptions = {}, overrides: object = {}): McpServerConfig =>
  McpServerConfig.parse({
    command: process.execPath,
    args: [path.join(__dirname, 'odd-server.js')],
    env: { ODD: JSON.stringify(options) },
    ...overrides,
  });

export const httpServerConfig = (url: string, overrides: object = {}): McpServerConfig =>
  McpServerConfig.parse({ url, ...overrides });

export interface McpTestServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts the official test server over HTTP. Pass a port to restart it at the same address. */
export async function startEverythingServer(port = 0): Promise<McpTestServer> {
  const child = spawn(
    process.execPath,
    ['--require', path.join(__dirname, 'on-loopback.js'), EVERYTHING_SERVER_PATH, 'streamableHttp'],
    { env: { PATH: process.env.PATH, PORT: String(port) }, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    let stdout = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      const url = /^at (.+)$/m.exec(stdout)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', () => reject(new Error(`it ended: ${stdout}`)));
  });
  return { url, stop: () => killServer(child) };
}

async function killServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

/** Lines that an odd server recorded. */
export interface ServerJournal {
  path: string;
  lines(): string[];
  /** The pids of all started servers. */
  pids(): number[];
  remove(): void;
}

export function createServerJournal(): ServerJournal {
  const folder = mkdtempSync(path.join(tmpdir(), 'parley-mcp-'));
  const file = path.join(folder, 'journal');
  writeFileSync(file, '');
  const lines = () => readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return {
    path: file,
    lines,
    pids: () => lines().flatMap((line) => (line.startsWith('started ') ? [Number(line.slice(8))] : [])),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Polls until the condition holds, or until the test's timeout. */
export async function pollUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { tsToMs } from '@temporalio/common/lib/time';
import {
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '#infra/temporal/dev-server/data-folder-server';
import { findServersOnDatabase } from '#infra/temporal/dev-server/process-table';
import { findTemporalCli } from '#infra/temporal/toolchain';
import { listListeningPorts } from '#test/support/child-process';

const cli = findTemporalCli();
const DAY = 24 * 60 * 60 * 1000;

let dataDir: string;
let logged: string[];
let cleanups: (() => unknown)[];

beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'parley-local-'));
  logged = [];
  cleanups = [];
});

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
  // Servers whose owners were killed.
  for (const pid of findServersOnDatabase(path.join(dataDir, 'temporal.db'))) process.kill(pid, 'SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(options: Partial<LocalServerOptions> = {}): Promise<LocalServer> {
  const server = await startLocalServer({ cli, dataDir, log: (message) => logged.push(message), ...options });
  cleanups.push(() => server.stop());
  return server;
}

async function connect({ address }: LocalServer): Promise<Client> {
  const connection = await Connection.connect({ address });
  cleanups.push(() => connection.close());
  return new Client({ connection });
}

/** Another Parley: a separate process that starts the server on our data folder and stays. */
async function startInOtherProcess(): Promise<{ owner: ChildProcess; outcome: string }> {
  const script = `
    const { transformFileSync } = require('@swc/core');
    require('node:module')._extensions['.ts'] = (module, file) => module._compile(transformFileSync(file, {
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } }).code, file);
    const { startLocalServer } = require('./src/infra/temporal/dev-server/data-folder-server.ts');
    startLocalServer({ cli: ${JSON.stringify(cli)}, dataDir: ${JSON.stringify(dataDir)}, log() {} }).then(
      (server) => console.log('up ' + server.address), (error) => console.log('refused ' + error.message));
    setInterval(() => {}, 1000);`;
  const cwd = path.resolve(__dirname, '../../../../..');
  const owner = spawn(process.execPath, ['-e', script], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  cleanups.push(() => kill(owner));
  const [chunk] = await once(owner.stdout as NodeJS.ReadableStream, 'data');
  return { owner, outcome: String(chunk) };
}

async function kill(owner: ChildProcess): Promise<void> {
  if (owner.exitCode !== null || owner.signalCode !== null) return;
  owner.kill('SIGKILL');
  await once(owner, 'exit');
}

const recordFile = () => path.join(dataDir, 'temporal.json');

it('starts a server that responds, retains closed workflows for 30 days, and serves the web UI', async () => {
  const server = await start();
  const { connection } = await connect(server);
  const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
  expect(tsToMs(config?.workflowExecutionRetentionTtl)).toBe(30 * DAY);
  expect((await fetch(server.uiUrl)).status).toBe(200);
  const port = Number(server.address.split(':')[1]);
  expect(JSON.parse(readFileSync(recordFile(), 'utf8'))).toMatchObject({ port, ownerPid: process.pid });
});

it('is accessible to its owner only: others cannot read its files, old ones included', async () => {
  const first = await start({ dataDir: path.join(dataDir, 'new') });
  await first.stop();
  const files = ['temporal.db', 'temporal.log'];
  const modes = (folder: string) => files.map((file) => modeOf(path.join(folder, file)));
  expect(modeOf(path.join(dataDir, 'new'))).toBe(0o700);
  expect(modes(path.join(dataDir, 'new'))).toEqual([0o600, 0o600]);
  chmodSync(path.join(dataDir, 'new', 'temporal.db'), 0o644);
  await start({ dataDir: path.join(dataDir, 'new') });
  expect(modes(path.join(dataDir, 'new'))).toEqual([0o600, 0o600]);
});

it('listens on loopback only, and starts nothing for a web page that finds one of its ports', async () => {
  const { uiUrl } = await start();
  const { pid } = JSON.parse(readFileSync(recordFile(), 'utf8')) as { pid: number };
  const listeners = listListeningPorts(pid);
  expect(new Set(listeners.map(({ host }) => host))).toEqual(new Set(['127.0.0.1']));
  const ports = listeners.map(({ port }) => port);
  const post = (port: number) =>
    fetch(`http://127.0.0.1:${port}/api/v1/namespaces/default/workflows/from-a-page`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain', origin: 'https://elsewhere.example' },
      body: JSON.stringify({ workflowType: { name: 'conversation' }, taskQueue: { name: 'parley' } }),
    }).then(
      ({ status }) => status,
      () => 0,
    );
  // One is the HTTP API; the UI requires a token from its own pages; the rest speak no HTTP.
  const statuses = await Promise.all(ports.map(post));
  expect(statuses).toContain(403);
  expect(statuses.filter((status) => status > 0 && status < 400)).toEqual([]);
  expect(ports).toContain(Number(new URL(uiUrl).port));
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

it('creates another namespace, extends the retention of both, and never shortens it', async () => {
  const retentionDays = async (server: LocalServer) => {
    const { connection } = await connect(server);
    const descriptions = ['default', 'team'].map((namespace) =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return (await Promise.all(descriptions)).map(({ config }) => tsToMs(config?.workflowExecutionRetentionTtl) / DAY);
  };
  const first = await start({ namespace: 'team', retentionMs: 90 * DAY });
  expect(await retentionDays(first)).toEqual([90, 90]);
  await first.stop();
  expect(await retentionDays(await start({ namespace: 'team', retentionMs: 2 * DAY }))).toEqual([90, 90]);
});

it('refuses a second server on the same data folder, and leaves the first unharmed', async () => {
  const server = await start();
  await expect(start()).rejects.toThrow(/already running with this data folder \(pid \d+\).*PARLEY_DATA/);
  const { outcome } = await startInOtherProcess();
  expect(outcome).toContain(`refused Parley is already running with this data folder (pid ${process.pid})`);
  const { connection } = await connect(server);
  await connection.workflowService.describeNamespace({ namespace: 'default' });
});

it('lets exactly one of several concurrent starts have the folder', async () => {
  const outcomes = (await Promise.all([startInOtherProcess(), startInOtherProcess(), startInOtherProcess()])).map(
    ({ outcome }) => outcome.split(' ')[0],
  );
  expect(outcomes.sort()).toEqual(['refused', 'refused', 'up']);
  expect(findServersOnDatabase(path.join(dataDir, 'temporal.db'))).toHaveLength(1);
});

it('stops the server that a killed Parley left behind, and starts a new one', async () => {
  const { owner, outcome } = await startInOtherProcess();
  expect(outcome).toMatch(/^up /);
  const [orphan] = findServersOnDatabase(path.join(dataDir, 'temporal.db'));
  await kill(owner);
  expect(findServersOnDatabase(path.join(dataDir, 'temporal.db'))).toEqual([orphan]);

  // Found in the process table, so the lost record does not matter.
  rmSync(recordFile());
  await connect(await start());
  expect(logged[0]).toContain(`an earlier run (pid ${orphan})`);
  expect(findServersOnDatabase(path.join(dataDir, 'temporal.db'))).not.toContain(orphan);
});

it('finds a workflow after a restart', async () => {
  const first = await start();
  const firstClient = await connect(first);
  await firstClient.workflow.start('nobody-runs-it', { workflowId: 'kept', taskQueue: 'none' });
  await first.stop();

  const secondClient = await connect(await start());
  const { status } = await secondClient.workflow.getHandle('kept').describe();
  expect(status.name).toBe('RUNNING');
});

it('uses other ports if the default ones are taken', async () => {
  for (const port of [7233, 8233]) {
    const squatter = net.createServer().listen(port, '127.0.0.1');
    // It is just as good if another process has the port.
    await Promise.race([once(squatter, 'listening'), once(squatter, 'error')]).catch(() => undefined);
    cleanups.push(() => squatter.close());
  }
  const server = await start();
  await connect(server);
  expect(server.address).not.toContain(':7233');
  expect(server.uiUrl).not.toContain(':8233');
  expect(logged.join()).toContain('Port 7233 is in use');
});

it('does not mistake a server that took the port first for its own', async () => {
  const rivalPidFile = path.join(dataDir, 'rival');
  // Looks like the CLI, but on its first run a rival takes the port just before.
  const lateCli = path.join(dataDir, 'late-cli');
  const script = `#!/bin/bash
    if [ ! -e "${rivalPidFile}" ]; then
      port=$(sed 's/.*--port \\([0-9]*\\).*/\\1/' <<< "$*")
      "${cli}" server start-dev --headless --ip 127.0.0.1 --port $port > /dev/null 2>&1 & echo $! > "${rivalPidFile}"
      until (exec 3<>/dev/tcp/127.0.0.1/$port) 2> /dev/null; do sleep 0.02; done
      sleep 0.5
    fi
    exec "${cli}" "$@"`;
  writeFileSync(lateCli, script, { mode: 0o755 });
  const server = await startLocalServer({ cli: lateCli, dataDir, log: (message) => logged.push(message) });
  cleanups.push(() => server.stop());
  cleanups.push(() => process.kill(Number(readFileSync(rivalPidFile, 'utf8')), 'SIGKILL'));
  expect(findServersOnDatabase(path.join(dataDir, 'temporal.db'))).toHaveLength(1);
  expect(readFileSync(path.join(dataDir, 'temporal.log'), 'utf8')).toContain('address already in use');
});

it('stops once however often it is asked to, and leaves no record', async () => {
  const server = await start();
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  await server.exited;
  expect(existsSync(recordFile())).toBe(false);
  expect(findServersOnDatabase(path.join(dataDir, 'temporal.db'))).toEqual([]);
});

it('reports when the server exits by itself', async () => {
  const server = await start();
  const [pid] = findServersOnDatabase(path.join(dataDir, 'temporal.db'));
  process.kill(pid as number, 'SIGKILL');
  await server.exited;
  await connect(await start());
});

it('does not mistake an unrelated process with a recorded pid for the server', async () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  cleanups.push(() => kill(stranger));
  const staleRecord = { pid: stranger.pid, ownerPid: process.pid, port: 7233, uiPort: 8233 };
  writeFileSync(recordFile(), JSON.stringify(staleRecord));
  // A claim by a process whose pid is now ours, or the stranger's.
  writeFileSync(path.join(dataDir, `owner-${process.pid}-1.claim`), '');
  writeFileSync(path.join(dataDir, `owner-${stranger.pid}-1.claim`), '');
  await connect(await start());
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  expect(logged.filter((message) => message.includes('left behind'))).toEqual([]);
});

it("reports the server's output if it does not start", async () => {
  writeFileSync(path.join(dataDir, 'temporal.db'), 'this is not a database, and long enough to be looked at');
  await expect(start()).rejects.toThrow(/The Temporal server exited at startup. Its output:\n.*not a database/s);
  rmSync(path.join(dataDir, 'temporal.db'));
  await connect(await start());
});

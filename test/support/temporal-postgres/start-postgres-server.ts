import { mkdirSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { readConfig } from '#channels/read-config';
import { createLog } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import { findFreePort, isPortAnswering } from '#infra/temporal/dev-server/ports';
import { findGrpcError, GRPC_STATUS } from '#infra/temporal/errors';
import { prepareNamespace } from '#infra/temporal/prepare-namespace';
import { startOrphanReaper } from './orphan-reaper';
import { createPostgresDatabase } from './postgres-database';
import { findPostgresPrograms, type PostgresPrograms } from './programs';
import { ManagedServerProcess, type ManagedServerProcessOptions, type TemporalServer } from './server-process';
import {
  createTemporalConfiguration,
  createTemporalSchema,
  formatDynamicConfig,
  TEMPORAL_PORT_COUNT,
} from './temporal-configuration';

export interface PostgresServerOptions {
  /** Created; must be empty if it exists. Deleted with the server. */
  folder: string;
  /** Receives messages for the user, as sentences. */
  log: (sentence: string) => void;
  /** Created, with Parley's search attributes. Defaults to `default`. */
  namespaces?: string[];
  /** If false, PostgreSQL need not survive a crash of the machine: faster, for tests that do not need that. */
  isDurable?: boolean;
  /** Dynamic config of the server, as `name=value`. */
  dynamicConfig?: string[];
}

/**
 * Starts a production-like Temporal server: all services, four history shards, PostgreSQL. It ends with this process in
 * any case.
 */
export async function startPostgresServer(options: PostgresServerOptions): Promise<TemporalServer> {
  const { log, namespaces = ['default'], isDurable = true, dynamicConfig = [] } = options;
  const startedAt = Date.now();
  const programs = findPostgresPrograms();
  const workspace = openServerWorkspace(createEmptyFolder(options.folder));
  try {
    const address = await startServerProcesses(workspace, programs, { isDurable, dynamicConfig });
    await Promise.all(namespaces.map((namespace) => createNamespace(address, namespace)));
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    log(`A Temporal server on PostgreSQL is up at ${address} after ${seconds} s.`);
    return { address, parts: workspace.parts, stop: workspace.stop };
  } catch (error) {
    await workspace.stop();
    throw error;
  }
}

/** Starts the database, creates the schema, and starts the server. */
async function startServerProcesses(
  { folder, startProcess }: ServerWorkspace,
  programs: PostgresPrograms,
  { isDurable, dynamicConfig }: Required<Pick<PostgresServerOptions, 'isDurable' | 'dynamicConfig'>>,
): Promise<string> {
  const [databasePort = 0, ...ports] = await findFreePorts(1 + TEMPORAL_PORT_COUNT);
  const [port = 0] = ports;
  const database = await createPostgresDatabase(folder, databasePort, programs, isDurable);
  await startProcess(database.program);
  await createTemporalSchema(programs.temporalSqlTool, database);
  const file = path.join(folder, 'temporal.json');
  const dynamicFile = path.join(folder, 'dynamic.yaml');
  writeFileSync(dynamicFile, formatDynamicConfig(dynamicConfig));
  const configuration = createTemporalConfiguration(database, ports, dynamicFile);
  writeFileSync(file, JSON.stringify(configuration, null, 2), { mode: 0o600 });
  await startProcess({
    name: 'temporal',
    command: programs.temporalServer,
    args: ['--config-file', file, '--allow-no-auth', 'start'],
    options: { cwd: folder, env: { PATH: process.env.PATH } },
    waitUntilUp: (_pid, signal) => waitUntilServing(port, signal),
    stopSignal: 'SIGKILL',
  });
  return `127.0.0.1:${port}`;
}

function createEmptyFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty, and would be removed with the server: give it a folder of its own.`);
  return realpathSync(folder);
}

async function createNamespace(address: string, namespace: string): Promise<void> {
  const config = readConfig({ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace });
  const client = createTemporalClient(config.temporal);
  try {
    await prepareNamespace(client, config, createLog('silent'));
  } finally {
    await client.connection.close();
  }
}

/** The processes of one folder, which is deleted with them. */
interface ServerWorkspace {
  folder: string;
  parts: ManagedServerProcess[];
  /** Resolves when it accepts requests. */
  startProcess(program: Omit<ManagedServerProcessOptions, 'logFile' | 'onChange'>): Promise<void>;
  /** Ends the processes in reverse order. */
  stop(): Promise<void>;
}

function openServerWorkspace(folder: string): ServerWorkspace {
  const reaper = startOrphanReaper(folder);
  const parts: ManagedServerProcess[] = [];
  const onChange = () => reaper.watch(parts.filter((part) => part.isUp()).map((part) => part.pid()));
  return {
    folder,
    parts,
    async startProcess(program) {
      const part = new ManagedServerProcess({
        ...program,
        onChange,
        logFile: path.join(folder, `${program.name}.log`),
      });
      parts.push(part);
      await part.start();
    },
    async stop() {
      for (const part of [...parts].reverse()) await part.end();
      rmSync(folder, { recursive: true, force: true });
      reaper.dismiss();
    },
  };
}

const SYSTEM_NAMESPACE = 'temporal-system';
/** Each id belongs to one of the few history shards; together they almost certainly cover all. */
const PROBE_IDS = Array.from({ length: 32 }, (_, number) => `nothing-${number}`);

/** Resolves when every service answers: the frontend does so before the history service has its shards. */
async function waitUntilServing(port: number, signal: AbortSignal): Promise<void> {
  // Check the port first: gRPC waits a second after a refused connection.
  while (!(await isPortAnswering(port))) await pause(25, undefined, { signal });
  const connection = Connection.lazy({ address: `127.0.0.1:${port}` });
  try {
    while (!(await isServing(connection))) await pause(50, undefined, { signal });
  } finally {
    await connection.close();
  }
}

async function isServing(connection: Connection): Promise<boolean> {
  const { workflowService } = connection;
  const probe = async () => {
    await workflowService.countWorkflowExecutions({ namespace: SYSTEM_NAMESPACE });
    const found = PROBE_IDS.map((workflowId) => {
      const request = { namespace: SYSTEM_NAMESPACE, execution: { workflowId } };
      return workflowService.describeWorkflowExecution(request).then(() => true, isNotFound);
    });
    return (await Promise.all(found)).every(Boolean);
  };
  try {
    return await connection.withDeadline(Date.now() + 3_000, probe);
  } catch {
    return false;
  }
}

/** Whether the error comes from the history service, which reports a missing workflow. */
function isNotFound(error: unknown): boolean {
  const { code, details } = findGrpcError(error);
  return code === GRPC_STATUS.NOT_FOUND && /workflow/i.test(details);
}

/**
 * Below the operating system's range for outgoing connections: while a server is down, such a connection could take its
 * port and keep it from restarting, or even connect to itself.
 */
const FIRST_PORT = 16_000;
const PORT_RANGE = 16_000;

/** Returns distinct free ports. */
async function findFreePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const wanted = FIRST_PORT + Math.floor(Math.random() * PORT_RANGE);
    if ((await findFreePort(wanted)) === wanted) found.add(wanted);
  }
  return [...found];
}

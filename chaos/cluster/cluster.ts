import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '#channels/read-config';
import { promoteBuild } from '#cli/admin/promote/promote-build';
import { createTemporalClient } from '#infra/temporal/client';
import { findFreePort } from '#infra/temporal/dev-server/ports';
import { TASK_QUEUE } from '#workflows/messages';
import { tryRequest } from '../http';
import type { BuildSequence } from './mutated-builds';
import { type SupervisedProcess, superviseProcess } from './supervised-process';

export interface ClusterOptions {
  folder: string;
  address: string;
  modelUrl: string;
  toolHost: string;
  builds: BuildSequence;
  apis: number;
  workers: number;
  onEnded(name: string, cause: string): void;
}

/** The APIs and workers of one Parley. */
export interface ParleyCluster {
  urls: string[];
  apis: SupervisedProcess[];
  workers(): SupervisedProcess[];
  /** Deploys the next build: starts its workers beside the old ones, promotes it, then stops the old ones. */
  deploy(): Promise<void>;
  end(): Promise<void>;
}

const FIRST_PORT = 23_100;
const READY_TIMEOUT_MS = 60_000;

export async function startCluster(settings: ClusterOptions): Promise<ParleyCluster> {
  const { folder, address, onEnded } = settings;
  const env = createProcessEnvironment(settings);
  const urls: string[] = [];
  const apis: SupervisedProcess[] = [];
  for (let n = 1; n <= settings.apis; n += 1) {
    const port = await findFreePort(FIRST_PORT + n);
    urls.push(`http://127.0.0.1:${port}`);
    apis.push(
      superviseProcess({
        name: `api-${n}`,
        file: 'src/api/main.js',
        env: { ...env, PORT: String(port) },
        folder,
        onEnded,
      }),
    );
  }
  const client = createTemporalClient(readConfig({ TEMPORAL_ADDRESS: address }).temporal);
  let workers: SupervisedProcess[] = [];
  const all = new Set<SupervisedProcess>(apis);
  let isEnded = false;

  const startWorkers = () => {
    const { buildId, codePath } = settings.builds.next();
    const own = { ...env, PARLEY_BUILD_ID: buildId, CHAOS_BUNDLE: codePath };
    const started = Array.from({ length: settings.workers }, (_, n) =>
      superviseProcess({
        name: `worker-${n + 1}-${buildId}`,
        file: 'chaos/cluster/worker-process.js',
        env: own,
        folder,
        onEnded,
      }),
    );
    for (const worker of started) all.add(worker);
    return { buildId, started };
  };
  const deploy = async () => {
    const { buildId, started } = startWorkers();
    const old = workers;
    workers = [...old, ...started];
    const wanted = {
      deploymentName: 'parley',
      buildId,
      isForced: false,
      taskQueue: TASK_QUEUE,
      waitMs: 20_000,
    };
    while (!isEnded && !(await isSuccessful(() => promoteBuild(client, wanted, () => undefined)))) await pause(500);
    workers = started;
    await Promise.all(old.map((worker) => worker.end()));
    for (const worker of old) all.delete(worker);
  };
  const cluster: ParleyCluster = {
    urls,
    apis,
    workers: () => workers,
    deploy,
    async end() {
      isEnded = true;
      await Promise.all([...all].map((one) => one.end()));
      await client.connection.close();
    },
  };
  try {
    await waitUntilReady(urls);
    await deploy();
  } catch (error) {
    await cluster.end();
    throw error;
  }
  return cluster;
}

/** Turns errors into false: failures while Temporal is down are retried. */
async function isSuccessful(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}

async function waitUntilReady(urls: string[]): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (const url of urls) {
    while ((await tryRequest(`${url}/readyz`)).status !== 200) {
      if (Date.now() > deadline) throw new Error(`${url} was not ready within ${READY_TIMEOUT_MS / 1_000} s.`);
      await pause(100);
    }
  }
}

function createProcessEnvironment({ folder, address, modelUrl, toolHost }: ClusterOptions): NodeJS.ProcessEnv {
  return {
    TEMPORAL_ADDRESS: address,
    ANTHROPIC_API_KEY: 'chaos',
    ANTHROPIC_BASE_URL: modelUrl,
    PARLEY_AGENTS: path.join(folder, 'agents'),
    PARLEY_DATA: path.join(folder, 'data'),
    PARLEY_SECRET: 'a secret that all of them share which is as long as 32 random bytes in base64',
    PARLEY_INTERNAL_HOSTS: toolHost,
    LOG_LEVEL: 'warn',
  };
}

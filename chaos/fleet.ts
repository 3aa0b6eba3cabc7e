import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '#config';
import { promote } from '#promote/promote';
import { lazyClient } from '#temporal/connect';
import { freePort } from '#temporal/local/ports';
import { TASK_QUEUE } from '#workflows/messages';
import type { Builds } from './builds';
import { request } from './door';
import { type KeptProcess, keepRunning } from './kept-process';

export interface FleetSettings {
  folder: string;
  address: string;
  modelUrl: string;
  outsideHost: string;
  builds: Builds;
  apis: number;
  workers: number;
  onEnded(name: string, how: string): void;
}

/** The APIs and workers of one Parley. */
export interface Fleet {
  urls: string[];
  apis: KeptProcess[];
  workers(): KeptProcess[];
  /** Bring out the next build: its workers beside the old, then it is promoted, then the old ones leave. */
  deploy(): Promise<void>;
  end(): Promise<void>;
}

const FIRST_PORT = 23_100;
const READY_MS = 60_000;

export async function startFleet(settings: FleetSettings): Promise<Fleet> {
  const { folder, address, onEnded } = settings;
  const env = environmentOf(settings);
  const urls: string[] = [];
  const apis: KeptProcess[] = [];
  for (let n = 1; n <= settings.apis; n += 1) {
    const port = await freePort(FIRST_PORT + n);
    urls.push(`http://127.0.0.1:${port}`);
    apis.push(
      keepRunning({
        name: `api-${n}`,
        file: 'src/api/main.js',
        env: { ...env, PORT: String(port) },
        folder,
        onEnded,
      }),
    );
  }
  const client = lazyClient(readConfig({ TEMPORAL_ADDRESS: address }).temporal);
  let workers: KeptProcess[] = [];
  const all = new Set<KeptProcess>(apis);
  let isEnded = false;

  const startWorkers = () => {
    const { buildId, codePath } = settings.builds.next();
    const own = { ...env, PARLEY_BUILD_ID: buildId, CHAOS_BUNDLE: codePath };
    const started = Array.from({ length: settings.workers }, (_, n) =>
      keepRunning({
        name: `worker-${n + 1}-${buildId}`,
        file: 'chaos/worker-process.js',
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
    while (!isEnded && !(await isDone(() => promote(client, wanted, () => undefined)))) await pause(500);
    workers = started;
    await Promise.all(old.map((worker) => worker.end()));
    for (const worker of old) all.delete(worker);
  };
  const fleet: Fleet = {
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
    await untilReady(urls);
    await deploy();
  } catch (error) {
    await fleet.end();
    throw error;
  }
  return fleet;
}

/** Whatever goes wrong while Temporal is down is tried again. */
async function isDone(work: () => Promise<unknown>): Promise<boolean> {
  return work().then(
    () => true,
    () => false,
  );
}

async function untilReady(urls: string[]): Promise<void> {
  const patience = Date.now() + READY_MS;
  for (const url of urls) {
    while ((await request(`${url}/readyz`)).status !== 200) {
      if (Date.now() > patience) throw new Error(`${url} was not ready in ${READY_MS / 1_000} s.`);
      await pause(100);
    }
  }
}

function environmentOf({ folder, address, modelUrl, outsideHost }: FleetSettings): NodeJS.ProcessEnv {
  return {
    TEMPORAL_ADDRESS: address,
    ANTHROPIC_API_KEY: 'chaos',
    ANTHROPIC_BASE_URL: modelUrl,
    PARLEY_AGENTS: path.join(folder, 'agents'),
    PARLEY_DATA: path.join(folder, 'data'),
    PARLEY_SECRET: 'a secret that all of them share',
    PARLEY_INTERNAL_HOSTS: outsideHost,
    LOG_LEVEL: 'warn',
  };
}

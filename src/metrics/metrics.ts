import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { CoreMetrics } from './core';
import { grpcMetrics } from './grpc';
import { httpMetrics } from './http';
import { modelMetrics } from './model';
import { peopleMetrics } from './people';
import { type LookAt, standingMetrics } from './standing';
import { workMetrics } from './work';

export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsParts {
  version: string;
  buildId?: string;
  /** Those of Temporal's SDK, where a worker runs in this process. */
  core?: CoreMetrics;
}

/** Everything that is counted in this process, in one exposition. */
export function createMetrics({ version, buildId = '', core }: MetricsParts) {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: 'parley_info',
    help: 'Which Parley this is.',
    labelNames: ['version', 'build'],
    registers,
  }).set({ version, build: buildId }, 1);
  const keyMissing = new Counter({
    name: 'parley_encryption_key_missing_total',
    help: 'Times that something could not be read, as it is encrypted with a key that is not in PARLEY_ENCRYPTION_KEYS.',
    registers,
  });
  const standing = standingMetrics(registers);
  let lookAt: LookAt | undefined;
  return {
    http: httpMetrics(registers),
    grpc: grpcMetrics(registers),
    model: modelMetrics(registers),
    activities: workMetrics(registers),
    count: peopleMetrics(registers),
    keyMissing: () => keyMissing.inc(),
    /** From now on each scrape tells what waits. */
    watch(look: LookAt): void {
      lookAt = look;
    },
    contentType: registry.contentType,
    /** In Prometheus' text format. */
    async text(): Promise<string> {
      if (lookAt) await standing.refresh(lookAt);
      const own = [await registry.metrics(), await ofProcess().metrics()];
      return `${own.join('\n')}\n${core?.text() ?? ''}`;
    },
  };
}

let processRegistry: Registry | undefined;

/** Node's own: memory, CPU, the event loop. There is one of each in a process, however many parts of Parley run in it. */
function ofProcess(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

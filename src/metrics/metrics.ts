import { collectDefaultMetrics, Registry } from 'prom-client';
import type { CoreMetrics } from './core';
import { grpcMetrics } from './grpc';
import { httpMetrics } from './http';
import { instrumentsIn } from './instruments';
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
  const make = instrumentsIn(registry);
  make.gauge('parley_info', 'Which Parley this is.', 'version', 'build').set({ version, build: buildId }, 1);
  const keyMissing = make.counter(
    'parley_encryption_key_missing_total',
    'Times that something could not be read, as it is encrypted with a key that is not in PARLEY_ENCRYPTION_KEYS.',
  );
  const standing = standingMetrics(make);
  let lookAt: LookAt | undefined;
  return {
    http: httpMetrics(make),
    grpc: grpcMetrics(make),
    model: modelMetrics(make),
    activities: workMetrics(make),
    count: peopleMetrics(make),
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

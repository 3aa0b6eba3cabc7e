import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Config } from '#infra/config';
import type { ShutdownHooks } from '#infra/lifecycle';
import type { Log } from '#infra/log';
import { readPackageVersion } from '#infra/package-info';
import { createGrpcMetrics } from '#infra/telemetry/grpc-metrics';
import { createMetricFactory } from '#infra/telemetry/prometheus';
import type { TemporalSdkMetrics } from '#infra/telemetry/temporal-sdk-metrics';
import { createTracing, type Tracing } from '#infra/telemetry/tracing';
import { createActivityMetrics } from './activity-metrics';
import { createApiMetrics } from './api-metrics';
import { createBacklogMetrics, type ReadBacklog } from './backlog-metrics';
import { createConversationMetrics } from './conversation-metrics';
import { createModelMetrics } from './model-telemetry';

/** Those who look on at what a process does: one of each, whatever parts of Parley run in it. */
export interface Telemetry {
  metrics: Metrics;
  tracing: Tracing | undefined;
}

/** `core`: what Temporal's SDK counts, where there is a worker in the process. */
export function createTelemetry(
  config: Config,
  log: Log,
  cleanup: ShutdownHooks,
  core?: TemporalSdkMetrics,
): Telemetry {
  const tracing = createTracing(config.tracing, readPackageVersion(), log);
  if (tracing) cleanup.push(() => tracing.close().catch(() => undefined));
  return { metrics: createMetricsFromConfig(config, core), tracing };
}

export function createMetricsFromConfig({ build }: Config, core?: TemporalSdkMetrics): Metrics {
  return createMetrics({ version: readPackageVersion(), buildId: build?.buildId, core });
}

export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsOptions {
  version: string;
  buildId?: string;
  /** Those of Temporal's SDK, where a worker runs in this process. */
  core?: TemporalSdkMetrics;
}

/** Everything that is counted in this process, in one exposition. */
export function createMetrics({ version, buildId = '', core }: MetricsOptions) {
  const registry = new Registry();
  const make = createMetricFactory(registry);
  make.gauge('parley_info', 'Which Parley this is.', 'version', 'build').set({ version, build: buildId }, 1);
  const keyMissing = make.counter(
    'parley_encryption_key_missing_total',
    'Times that something could not be read, as it is encrypted with a key that is not in PARLEY_ENCRYPTION_KEYS.',
  );
  const standing = createBacklogMetrics(make);
  let lookAt: ReadBacklog | undefined;
  return {
    http: createApiMetrics(make),
    grpc: createGrpcMetrics(make),
    model: createModelMetrics(make),
    activities: createActivityMetrics(make),
    count: createConversationMetrics(make),
    keyMissing: () => keyMissing.inc(),
    /** From now on each scrape tells what waits. */
    watch(look: ReadBacklog): void {
      lookAt = look;
    },
    contentType: registry.contentType,
    /** In Prometheus' text format. */
    async text(): Promise<string> {
      if (lookAt) await standing.refresh(lookAt);
      const own = [await registry.metrics(), await getProcessRegistry().metrics()];
      return `${own.join('\n')}\n${core?.text() ?? ''}`;
    },
  };
}

let processRegistry: Registry | undefined;

/** Node's own: memory, CPU, the event loop. There is one of each in a process, however many parts of Parley run in it. */
function getProcessRegistry(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

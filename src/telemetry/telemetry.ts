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
import { createAnswerChannelLabel, createConversationMetrics } from './conversation-metrics';
import { createModelMetrics } from './model-telemetry';

/** The metrics and tracing of a process, shared by all parts of Parley in it. */
export interface Telemetry {
  metrics: Metrics;
  tracing: Tracing | undefined;
}

/** Creates metrics and tracing. `sdkMetrics` are those of Temporal's SDK, if a worker runs in this process. */
export function createTelemetry(
  config: Config,
  log: Log,
  cleanup: ShutdownHooks,
  sdkMetrics?: TemporalSdkMetrics,
): Telemetry {
  const tracing = createTracing(config.tracing, readPackageVersion(), log);
  if (tracing) cleanup.push(() => tracing.close().catch(() => undefined));
  return { metrics: createMetrics(config, sdkMetrics), tracing };
}

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates all metrics of this process, with a single exposition. */
export function createMetrics({ build, channels }: Config, sdkMetrics?: TemporalSdkMetrics) {
  const toChannelLabel = createAnswerChannelLabel(channels.answerNames);
  const registry = new Registry();
  const factory = createMetricFactory(registry);
  factory
    .gauge('parley_info', 'The version and build of Parley.', 'version', 'build')
    .set({ version: readPackageVersion(), build: build?.buildId ?? '' }, 1);
  const missingKeys = factory.counter(
    'parley_encryption_key_missing_total',
    'Decryption failures because a key is missing from PARLEY_ENCRYPTION_KEYS.',
  );
  const backlog = createBacklogMetrics(factory);
  let readBacklog: ReadBacklog | undefined;
  return {
    http: createApiMetrics(factory, toChannelLabel),
    grpc: createGrpcMetrics(factory),
    model: createModelMetrics(factory),
    activities: createActivityMetrics(factory),
    countEvent: createConversationMetrics(factory, toChannelLabel),
    countMissingKey: () => missingKeys.inc(),
    /** Includes the backlog in each scrape from now on. */
    watchBacklog(read: ReadBacklog): void {
      readBacklog = read;
    },
    contentType: registry.contentType,
    async text(): Promise<string> {
      if (readBacklog) await backlog.refresh(readBacklog);
      const sdkText = sdkMetrics?.text() ?? '';
      return (await Promise.all([registry.metrics(), getProcessRegistry().metrics(), sdkText])).join('\n');
    },
  };
}

let processRegistry: Registry | undefined;

/** Returns Node's own metrics (memory, CPU, event loop), in one registry per process. */
function getProcessRegistry(): Registry {
  if (!processRegistry) {
    processRegistry = new Registry();
    collectDefaultMetrics({ register: processRegistry });
  }
  return processRegistry;
}

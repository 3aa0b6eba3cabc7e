import type { Config } from './config';
import type { Log } from './log';
import type { CoreMetrics } from './metrics/core';
import { createMetrics, type Metrics } from './metrics/metrics';
import type { Cleanup } from './process';
import { projectVersion } from './project';
import { openTracing } from './tracing/open';
import type { Tracing } from './tracing/tracing';

/** Those who look on at what a process does: one of each, whatever parts of Parley run in it. */
export interface Onlookers {
  metrics: Metrics;
  tracing: Tracing | undefined;
}

/** `core`: what Temporal's SDK counts, where there is a worker in the process. */
export function openOnlookers(config: Config, log: Log, cleanup: Cleanup, core?: CoreMetrics): Onlookers {
  const tracing = openTracing(config.tracing, projectVersion(), log);
  if (tracing) cleanup.push(() => tracing.close().catch(() => undefined));
  return { metrics: metricsOf(config, core), tracing };
}

export function metricsOf({ build }: Config, core?: CoreMetrics): Metrics {
  return createMetrics({ version: projectVersion(), buildId: build?.buildId, core });
}

import type { Config } from './config';
import { installRuntime, type Log } from './log';
import { type CoreMetrics, createCoreMetrics } from './metrics/core';
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

/** For a process with a worker in it, `worker` says that somebody will ask for the metrics of Temporal's SDK. */
export function openOnlookers(
  config: Config,
  log: Log,
  cleanup: Cleanup,
  { worker }: { worker: 'counted' | 'uncounted' | 'none' },
): Onlookers {
  const core = worker === 'counted' ? createCoreMetrics() : undefined;
  const metrics = metricsOf(config, core);
  if (worker !== 'none') installRuntime(log, { buffer: core?.buffer, countMissing: metrics.keyMissing });
  const tracing = openTracing(config.tracing, projectVersion(), log);
  if (tracing) cleanup.push(() => tracing.close().catch(() => undefined));
  return { metrics, tracing };
}

export function metricsOf({ build }: Config, core?: CoreMetrics): Metrics {
  return createMetrics({ version: projectVersion(), buildId: build?.buildId, core });
}

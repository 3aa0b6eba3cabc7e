import type { Config } from '#config';
import { installRuntime, type Log } from '#log';
import { createCoreMetrics } from '#metrics/core';
import { type Onlookers, openOnlookers } from '#onlookers';
import type { Cleanup } from '#process';

/**
 * For a process with a worker in it, once and before it starts. Apart from the others, as an API need not have anything of
 * Temporal's core. `isCounted`: somebody will ask for what that counts.
 */
export function openWorkerOnlookers(
  config: Config,
  log: Log,
  cleanup: Cleanup,
  { isCounted }: { isCounted: boolean },
): Onlookers {
  const core = isCounted ? createCoreMetrics() : undefined;
  const onlookers = openOnlookers(config, log, cleanup, core);
  installRuntime(log, { buffer: core?.buffer, countMissing: onlookers.metrics.keyMissing });
  return onlookers;
}

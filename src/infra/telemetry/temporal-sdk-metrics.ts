import type { MetricsExporterConfig } from '@temporalio/worker';
import { findFreePort } from '#infra/temporal/dev-server/ports';

/** OpenTelemetry's port for Prometheus; another if it is taken. */
const PREFERRED_PORT = 9464;

export type TemporalSdkMetrics = Awaited<ReturnType<typeof createTemporalSdkMetrics>>;

/**
 * The metrics of Temporal's SDK. It serves them itself, without authentication, so it does that for this machine only,
 * and they are served again with the others.
 */
export async function createTemporalSdkMetrics() {
  const bindAddress = `127.0.0.1:${await findFreePort(PREFERRED_PORT)}`;
  return {
    /** For the runtime of a process, with the names that Temporal's dashboards use. */
    exporter: {
      attachServiceName: false,
      prometheus: { bindAddress, unitSuffix: true, useSecondsForDurations: true },
    } satisfies MetricsExporterConfig,
    /** Empty until the runtime is installed. */
    text: async (): Promise<string> => {
      const response = await fetch(`http://${bindAddress}/metrics`).catch(() => undefined);
      return response ? response.text() : '';
    },
  };
}

import { createRarely } from '#activities/rarely';
import type { TracingSettings } from '#contract/tracing';
import type { Log } from '#log';
import type { Tracing } from './tracing';

/** Loaded only where it is wanted: it is a good deal of code. */
export function openTracing(
  settings: TracingSettings | undefined,
  version: string,
  log: Pick<Log, 'warn'>,
): Tracing | undefined {
  if (!settings) return undefined;
  const { otelTracing } = require('./otel') as typeof import('./otel.js');
  const rarely = createRarely();
  const lost = (why: string) =>
    rarely(why, () =>
      log.warn(
        { error: why },
        `traces cannot be sent to ${whereOf(settings.url)} and are lost: check OTEL_EXPORTER_OTLP_ENDPOINT`,
      ),
    );
  return otelTracing({ ...settings, version, lost });
}

/** Some collectors have a key in their address. */
function whereOf(url: string): string {
  return new URL(url).origin;
}

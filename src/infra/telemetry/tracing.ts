import type { HttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import { createThrottle } from '#infra/throttle';
import type { TracingSettings } from './tracing-settings';

/** Attributes hold names and numbers, never content. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'internal';
  /** W3C `traceparent` of the parent; defaults to the active span. */
  parent?: string;
  attributes?: SpanAttributes;
}

export interface Span {
  traceId: string;
  /** W3C `traceparent` to pass on. */
  traceparent: string;
  rename(name: string): void;
  setAttributes(attributes: SpanAttributes): void;
  fail(reason: string): void;
}

/** A span that has already ended. Its id was assigned at the start, as its children needed it. */
export interface CompletedSpan {
  name: string;
  traceparent: string;
  parent: string;
  startedAt: number;
  endedAt: number;
  attributes: SpanAttributes;
}

/** Records spans and sends them to a collector. */
export interface Tracing {
  run<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  current(): Span | undefined;
  record(span: CompletedSpan): void;
  /** Sends pending spans. Needed before a process is frozen, as in Lambda. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const W3C_TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a `traceparent`. The input is untrusted: any caller can send one. */
export function parseTraceparent(text: unknown): { traceId: string; spanId: string; flags: number } | undefined {
  const [, traceId, spanId, flags = ''] = W3C_TRACEPARENT.exec(typeof text === 'string' ? text : '') ?? [];
  return traceId && spanId ? { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 } : undefined;
}

/** Loads OpenTelemetry only if tracing is on, as it is a lot of code. */
export function createTracing(
  settings: TracingSettings | undefined,
  version: string,
  log: Pick<Log, 'warn'>,
): Tracing | undefined {
  if (!settings) return undefined;
  const { createOtelTracing: otelTracing } =
    require('#infra/telemetry/opentelemetry') as typeof import('#infra/telemetry/opentelemetry');
  const throttled = createThrottle();
  const onExportError = (reason: string) =>
    throttled(reason, () =>
      log.warn(
        { error: reason },
        // Without the rest of the URL, as some collectors have a key in it.
        `Can't send traces to ${new URL(settings.url).origin}; they are lost. Check OTEL_EXPORTER_OTLP_ENDPOINT.`,
      ),
    );
  return otelTracing({ ...settings, version, onExportError });
}

/** Adds `traceparent` to outbound requests and records a span for each. Of the URL, only the host is recorded. */
export function withHttpTracing<N extends HttpClient>(httpClient: N, tracing: Tracing): N {
  return {
    ...httpClient,
    request: (request) => {
      const host = URL.canParse(request.url) ? new URL(request.url).hostname : '';
      const attributes = { 'http.request.method': request.method, 'server.address': host };
      return tracing.run({ name: request.method, kind: 'client', attributes }, async (span) => {
        const headers = { ...request.headers, traceparent: span.traceparent };
        const response = await httpClient.request({ ...request, headers });
        span.setAttributes({ 'http.response.status_code': response.status });
        return response;
      });
    },
  };
}

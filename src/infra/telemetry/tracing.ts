import type { HttpClient } from '#infra/http-client/client';
import type { Log } from '#infra/log';
import { createThrottle } from '#infra/throttle';
import type { TracingSettings } from './tracing-settings';

/** Attributes name things, and never say what was in them. */
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  name: string;
  kind: 'server' | 'client' | 'internal';
  /** W3C's `traceparent` of what caused it; where there is none, what is under way here. */
  parent?: string;
  attributes?: SpanAttributes;
}

/** Something under way. */
export interface Span {
  traceId: string;
  /** W3C's `traceparent`, for whatever it causes elsewhere. */
  traceparent: string;
  rename(name: string): void;
  add(attributes: SpanAttributes): void;
  fail(why: string): void;
}

/** Something that is over already, and had its number given to it: what it caused had to know. */
export interface CompletedSpan {
  name: string;
  traceparent: string;
  parent: string;
  startedAt: number;
  endedAt: number;
  attributes: SpanAttributes;
}

/** Tells a collector what caused what, and how long it took. */
export interface Tracing {
  run<T>(beginning: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** What is under way here, if anything is. */
  current(): Span | undefined;
  record(past: CompletedSpan): void;
  /** Sends what has not been sent, while there is time: whoever is frozen afterwards sends nothing. */
  flush(): Promise<void>;
  /** Sends what has not been sent, and ends. */
  close(): Promise<void>;
}

const W3C_TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Anybody may send one, and anything for one. */
export function parseTraceparent(text: unknown): { traceId: string; spanId: string; flags: number } | undefined {
  const [, traceId, spanId, flags = ''] = W3C_TRACEPARENT.exec(typeof text === 'string' ? text : '') ?? [];
  return traceId && spanId ? { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 } : undefined;
}

/** Loaded only where it is wanted: it is a good deal of code. */
export function createTracing(
  settings: TracingSettings | undefined,
  version: string,
  log: Pick<Log, 'warn'>,
): Tracing | undefined {
  if (!settings) return undefined;
  const { createOtelTracing: otelTracing } =
    require('#infra/telemetry/opentelemetry') as typeof import('#infra/telemetry/opentelemetry');
  const rarely = createThrottle();
  const lost = (why: string) =>
    rarely(why, () =>
      log.warn(
        { error: why },
        `traces cannot be sent to ${originOf(settings.url)} and are lost: check OTEL_EXPORTER_OTLP_ENDPOINT`,
      ),
    );
  return otelTracing({ ...settings, version, lost });
}

/** Some collectors have a key in their address. */
function originOf(url: string): string {
  return new URL(url).origin;
}

/** Receivers of webhooks are told which trace they are part of; of their addresses only the host is told. */
export function withHttpTracing<N extends HttpClient>(network: N, tracing: Tracing): N {
  return {
    ...network,
    request: (sent) => {
      const attributes = { 'http.request.method': sent.method, 'server.address': hostnameOf(sent.url) };
      return tracing.run({ name: sent.method, kind: 'client', attributes }, async (span) => {
        const headers = { ...sent.headers, traceparent: span.traceparent };
        const response = await network.request({ ...sent, headers });
        span.add({ 'http.response.status_code': response.status });
        return response;
      });
    },
  };
}

function hostnameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

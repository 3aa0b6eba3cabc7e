import { AsyncLocalStorage } from 'node:async_hooks';
import * as otel from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type CompletedSpan, parseTraceparent, type Span, type Tracing } from './tracing';
import type { TracingSettings } from './tracing-settings';

export interface OtlpExportOptions extends TracingSettings {
  version: string;
  /** Called with the reason if spans could not be sent. Those spans are lost. */
  onExportError(reason: string): void;
}

const SPAN_KINDS = {
  server: otel.SpanKind.SERVER,
  client: otel.SpanKind.CLIENT,
  internal: otel.SpanKind.INTERNAL,
};
const INSTRUMENTATION_SCOPE = { name: 'parley' };
const EXPORT_INTERVAL_MS = 1_000;
const EXPORT_TIMEOUT_MS = 10_000;
/** How long a stopping process waits for the collector. */
const FLUSH_TIMEOUT_MS = 1_000;

function withFlushTimeout(pending: Promise<void>): Promise<void> {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
  return Promise.race([pending, timeout]);
}

/** Creates tracing without OpenTelemetry globals, so that several instances can coexist in a process. */
export function createOtelTracing({
  url,
  headers,
  service,
  version,
  sampleRatio,
  onExportError,
}: OtlpExportOptions): Tracing {
  const exporter = withExportFailureReport(
    new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }),
    onExportError,
  );
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS });
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) });
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] });
  const tracer = provider.getTracer(INSTRUMENTATION_SCOPE.name, version);
  const activeSpans = new AsyncLocalStorage<{ context: otel.Context; span: Span }>();

  return {
    current: () => activeSpans.getStore()?.span,
    async run({ name, kind, parent, attributes }, work) {
      const parentContext = contextFromTraceparent(parent) ?? activeSpans.getStore()?.context ?? otel.ROOT_CONTEXT;
      const otelSpan = tracer.startSpan(name, { kind: SPAN_KINDS[kind], attributes }, parentContext);
      const span = toSpan(otelSpan);
      try {
        return await activeSpans.run({ context: otel.trace.setSpan(parentContext, otelSpan), span }, () => work(span));
      } catch (error) {
        span.fail((error as { type?: string }).type ?? (error as Error).name);
        throw error;
      } finally {
        otelSpan.end();
      }
    },
    record(completed) {
      const span = toReadableSpan(completed, {
        resource,
        instrumentationScope: { ...INSTRUMENTATION_SCOPE, version },
      });
      if (span && span.spanContext().traceFlags === otel.TraceFlags.SAMPLED) processor.onEnd(span);
    },
    flush: () => withFlushTimeout(provider.forceFlush()),
    close: () => withFlushTimeout(provider.shutdown()),
  };
}

/** Reports failed exports; the SDK itself does not. */
function withExportFailureReport(exporter: SpanExporter, onExportError: (reason: string) => void): SpanExporter {
  return {
    export: (spans, callback) =>
      exporter.export(spans, (result) => {
        if (result.error) onExportError(result.error.message);
        callback(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function contextFromTraceparent(parent: string | undefined): otel.Context | undefined {
  const context = spanContextFromTraceparent(parent);
  return context && otel.trace.setSpanContext(otel.ROOT_CONTEXT, context);
}

function spanContextFromTraceparent(traceparent: string | undefined): otel.SpanContext | undefined {
  const parsed = parseTraceparent(traceparent);
  return parsed && { traceId: parsed.traceId, spanId: parsed.spanId, traceFlags: parsed.flags, isRemote: true };
}

/** Wraps a span. Failures are recorded by type, since messages may contain anything. */
function toSpan(otelSpan: otel.Span): Span {
  const { traceId, spanId, traceFlags } = otelSpan.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void otelSpan.updateName(name),
    setAttributes: (attributes) => void otelSpan.setAttributes(attributes),
    fail(reason) {
      otelSpan.setStatus({ code: otel.SpanStatusCode.ERROR });
      otelSpan.setAttribute('error.type', reason);
    },
  };
}

type SpanSource = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

function toReadableSpan(completed: CompletedSpan, source: SpanSource): ReadableSpan | undefined {
  const context = spanContextFromTraceparent(completed.traceparent);
  if (!context) return undefined;
  return {
    ...source,
    name: completed.name,
    kind: otel.SpanKind.INTERNAL,
    spanContext: () => context,
    parentSpanContext: spanContextFromTraceparent(completed.parent),
    startTime: toHrTime(completed.startedAt),
    endTime: toHrTime(completed.endedAt),
    duration: toHrTime(completed.endedAt - completed.startedAt),
    status: { code: otel.SpanStatusCode.UNSET },
    attributes: completed.attributes,
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function toHrTime(ms: number): otel.HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import * as otel from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '#infra/with-timeout';
import { parseTraceparent, type Span, type Tracing } from './tracing';
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
const EXPORT_INTERVAL_MS = 1_000;
const EXPORT_TIMEOUT_MS = 10_000;
/** How long a stopping process waits for the collector. */
const FLUSH_TIMEOUT_MS = 1_000;

/** Creates tracing without OpenTelemetry globals, so that several instances can coexist in a process. */
export function createOtelTracing(options: OtlpExportOptions): Tracing {
  const { url, headers, service, version, sampleRatio, onExportError } = options;
  const otlpExporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS });
  const exporter = withExportFailureReport(otlpExporter, onExportError);
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS });
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) });
  /** The id of the next span, if it was assigned before the span is recorded. */
  let assignedSpanId: string | undefined;
  const randomIds = new RandomIdGenerator();
  const idGenerator = {
    generateTraceId: () => randomIds.generateTraceId(),
    generateSpanId: () => assignedSpanId ?? randomIds.generateSpanId(),
  };
  const provider = new TracerProvider({ resource, sampler, idGenerator, spanProcessors: [processor] });
  const tracer = provider.getTracer('parley', version);
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
    record({ name, traceparent, parent, startedAt, endedAt, attributes }) {
      const spanContext = spanContextFromTraceparent(traceparent);
      if (spanContext?.traceFlags !== otel.TraceFlags.SAMPLED) return;
      assignedSpanId = spanContext.spanId;
      const options = { kind: otel.SpanKind.INTERNAL, startTime: startedAt, attributes };
      const span = tracer.startSpan(name, options, contextFromTraceparent(parent) ?? otel.ROOT_CONTEXT);
      assignedSpanId = undefined;
      span.end(endedAt);
    },
    flush: () => withTimeout(provider.forceFlush(), FLUSH_TIMEOUT_MS, () => undefined),
    close: () => withTimeout(provider.shutdown(), FLUSH_TIMEOUT_MS, () => undefined),
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

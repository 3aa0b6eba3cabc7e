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
  /** Told why what was made could not be sent: it is gone then. */
  lost(why: string): void;
}

const SPAN_KINDS = {
  server: otel.SpanKind.SERVER,
  client: otel.SpanKind.CLIENT,
  internal: otel.SpanKind.INTERNAL,
};
const INSTRUMENTATION_SCOPE = { name: 'parley' };
const EXPORT_INTERVAL_MS = 1_000;
const EXPORT_TIMEOUT_MS = 10_000;
/** A process that stops waits so long for a collector, and no longer. */
const FLUSH_TIMEOUT_MS = 1_000;

function withFlushTimeout(sending: Promise<void>): Promise<void> {
  const impatient = new Promise<void>((resolve) => setTimeout(resolve, FLUSH_TIMEOUT_MS).unref());
  return Promise.race([sending, impatient]);
}

/** Nothing global: there may be several in a process, and none of them is anybody else's. */
export function createOtelTracing({ url, headers, service, version, ratio, lost }: OtlpExportOptions): Tracing {
  const exporter = withExportFailureReport(
    new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS }),
    lost,
  );
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: EXPORT_INTERVAL_MS });
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] });
  const tracer = provider.getTracer(INSTRUMENTATION_SCOPE.name, version);
  const underWay = new AsyncLocalStorage<{ context: otel.Context; span: Span }>();

  return {
    current: () => underWay.getStore()?.span,
    async run({ name, kind, parent, attributes }, work) {
      const before = contextFromTraceparent(parent) ?? underWay.getStore()?.context ?? otel.ROOT_CONTEXT;
      const begun = tracer.startSpan(name, { kind: SPAN_KINDS[kind], attributes }, before);
      const span = toSpan(begun);
      try {
        return await underWay.run({ context: otel.trace.setSpan(before, begun), span }, () => work(span));
      } catch (error) {
        span.fail((error as { type?: string }).type ?? (error as Error).name);
        throw error;
      } finally {
        begun.end();
      }
    },
    record(past) {
      const span = toReadableSpan(past, {
        resource,
        instrumentationScope: { ...INSTRUMENTATION_SCOPE, version },
      });
      if (span && span.spanContext().traceFlags === otel.TraceFlags.SAMPLED) processor.onEnd(span);
    },
    flush: () => withFlushTimeout(provider.forceFlush()),
    close: () => withFlushTimeout(provider.shutdown()),
  };
}

/** The SDK itself would say nothing. */
function withExportFailureReport(exporter: SpanExporter, lost: (why: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) lost(result.error.message);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function contextFromTraceparent(parent: string | undefined): otel.Context | undefined {
  const context = spanContextFromTraceparent(parent);
  return context && otel.trace.setSpanContext(otel.ROOT_CONTEXT, context);
}

function spanContextFromTraceparent(traceparent: string | undefined): otel.SpanContext | undefined {
  const read = parseTraceparent(traceparent);
  return read && { traceId: read.traceId, spanId: read.spanId, traceFlags: read.flags, isRemote: true };
}

/** What failed is named by its kind: messages may have anything in them. */
function toSpan(begun: otel.Span): Span {
  const { traceId, spanId, traceFlags } = begun.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    rename: (name) => void begun.updateName(name),
    add: (attributes) => void begun.setAttributes(attributes),
    fail(why) {
      begun.setStatus({ code: otel.SpanStatusCode.ERROR });
      begun.setAttribute('error.type', why);
    },
  };
}

type SpanSource = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

function toReadableSpan(past: CompletedSpan, whose: SpanSource): ReadableSpan | undefined {
  const context = spanContextFromTraceparent(past.traceparent);
  if (!context) return undefined;
  return {
    ...whose,
    name: past.name,
    kind: otel.SpanKind.INTERNAL,
    spanContext: () => context,
    parentSpanContext: spanContextFromTraceparent(past.parent),
    startTime: toHrTime(past.startedAt),
    endTime: toHrTime(past.endedAt),
    duration: toHrTime(past.endedAt - past.startedAt),
    status: { code: otel.SpanStatusCode.UNSET },
    attributes: past.attributes,
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

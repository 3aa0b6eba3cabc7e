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
import type { TracingSettings } from '#contract/tracing';
import { type Past, readTraceparent, type Span, type Tracing } from './tracing';

export interface Sending extends TracingSettings {
  version: string;
  /** Told why what was made could not be sent: it is gone then. */
  lost(why: string): void;
}

const KINDS = {
  server: otel.SpanKind.SERVER,
  client: otel.SpanKind.CLIENT,
  internal: otel.SpanKind.INTERNAL,
};
const SCOPE = { name: 'parley' };
const SEND_MS = 1_000;
const SENT_WITHIN_MS = 10_000;
/** A process that stops waits so long for a collector, and no longer. */
const PATIENCE_MS = 1_000;

function withinPatience(sending: Promise<void>): Promise<void> {
  const impatient = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
  return Promise.race([sending, impatient]);
}

/** Nothing global: there may be several in a process, and none of them is anybody else's. */
export function otelTracing({ url, headers, service, version, ratio, lost }: Sending): Tracing {
  const exporter = telling(new OTLPTraceExporter({ url, headers, timeoutMillis: SENT_WITHIN_MS }), lost);
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_MS });
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  const provider = new TracerProvider({ resource, sampler, spanProcessors: [processor] });
  const tracer = provider.getTracer(SCOPE.name, version);
  const underWay = new AsyncLocalStorage<{ context: otel.Context; span: Span }>();

  return {
    current: () => underWay.getStore()?.span,
    async run({ name, kind, parent, attributes }, work) {
      const before = contextOf(parent) ?? underWay.getStore()?.context ?? otel.ROOT_CONTEXT;
      const begun = tracer.startSpan(name, { kind: KINDS[kind], attributes }, before);
      const span = spanOf(begun);
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
      const span = pastSpan(past, { resource, instrumentationScope: { ...SCOPE, version } });
      if (span && span.spanContext().traceFlags === otel.TraceFlags.SAMPLED) processor.onEnd(span);
    },
    flush: () => withinPatience(provider.forceFlush()),
    close: () => withinPatience(provider.shutdown()),
  };
}

/** The SDK itself would say nothing. */
function telling(exporter: SpanExporter, lost: (why: string) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error) lost(result.error.message);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function contextOf(parent: string | undefined): otel.Context | undefined {
  const context = spanContextOf(parent);
  return context && otel.trace.setSpanContext(otel.ROOT_CONTEXT, context);
}

function spanContextOf(traceparent: string | undefined): otel.SpanContext | undefined {
  const read = readTraceparent(traceparent);
  return read && { traceId: read.traceId, spanId: read.spanId, traceFlags: read.flags, isRemote: true };
}

/** What failed is named by its kind: messages may have anything in them. */
function spanOf(begun: otel.Span): Span {
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

type Whose = Pick<ReadableSpan, 'resource' | 'instrumentationScope'>;

function pastSpan(past: Past, whose: Whose): ReadableSpan | undefined {
  const context = spanContextOf(past.traceparent);
  if (!context) return undefined;
  return {
    ...whose,
    name: past.name,
    kind: otel.SpanKind.INTERNAL,
    spanContext: () => context,
    parentSpanContext: spanContextOf(past.parent),
    startTime: hrTime(past.startedAt),
    endTime: hrTime(past.endedAt),
    duration: hrTime(past.endedAt - past.startedAt),
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

function hrTime(ms: number): otel.HrTime {
  return [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];
}

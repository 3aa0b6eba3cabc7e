import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number>;
  startMs: number;
  endMs: number;
}

export interface OtlpCollector {
  url: string;
  /** The received bodies, unparsed. */
  text(): string;
  spans(): CollectedSpan[];
  /** Resolves with all spans, as soon as one matches. */
  waitForSpan(matches: (span: CollectedSpan) => boolean): Promise<CollectedSpan[]>;
  stop(): Promise<void>;
}

interface OtlpValue {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
}

/** Starts an OpenTelemetry collector for traces: OTLP over HTTP, in JSON. */
export async function startOtlpCollector(): Promise<OtlpCollector> {
  const bodies: string[] = [];
  const waiters = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.url !== '/v1/traces') return response.writeHead(404).end();
    bodies.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    for (const wake of waiters) wake();
    waiters.clear();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = () => bodies.flatMap(parseOtlpSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join('\n'),
    spans,
    async waitForSpan(matches) {
      while (!spans().some(matches)) await new Promise<void>((resolve) => waiters.add(resolve));
      return spans();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A span in OTLP's format. */
interface OtlpSpan extends Omit<CollectedSpan, 'attributes' | 'startMs' | 'endMs'> {
  attributes?: { key: string; value: OtlpValue }[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

function parseOtlpSpans(body: string): CollectedSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toCollectedSpan)));
}

function toCollectedSpan({ attributes = [], startTimeUnixNano, endTimeUnixNano, ...span }: OtlpSpan): CollectedSpan {
  const readValue = ({ stringValue, intValue, doubleValue }: OtlpValue) => stringValue ?? intValue ?? doubleValue ?? '';
  return {
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, readValue(value)])),
    startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
  };
}

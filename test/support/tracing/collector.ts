import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: Record<string, string | number>;
  startMs: number;
  endMs: number;
}

export interface Collector {
  url: string;
  /** What was sent, as it was sent. */
  text(): string;
  spans(): SeenSpan[];
  /** All spans, as soon as there is one like that. */
  until(matches: (span: SeenSpan) => boolean): Promise<SeenSpan[]>;
  stop(): Promise<void>;
}

interface Value {
  stringValue?: string;
  intValue?: number | string;
  doubleValue?: number;
}

/** A collector of OpenTelemetry's, as far as traces go: OTLP over HTTP, in JSON. */
export async function collector(): Promise<Collector> {
  const bodies: string[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (request.url !== '/v1/traces') return response.writeHead(404).end();
    bodies.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    for (const wake of waiting) wake();
    waiting.clear();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = () => bodies.flatMap(spansIn);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    text: () => bodies.join('\n'),
    spans,
    async until(matches) {
      while (!spans().some(matches)) await new Promise<void>((resolve) => waiting.add(resolve));
      return spans();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** As OTLP has it. */
interface Sent extends Omit<SeenSpan, 'attributes' | 'startMs' | 'endMs'> {
  attributes?: { key: string; value: Value }[];
  startTimeUnixNano: string;
  endTimeUnixNano: string;
}

function spansIn(body: string): SeenSpan[] {
  const { resourceSpans } = JSON.parse(body) as {
    resourceSpans: { scopeSpans: { spans: Sent[] }[] }[];
  };
  return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(spanOf)));
}

function spanOf({ attributes = [], startTimeUnixNano, endTimeUnixNano, ...span }: Sent): SeenSpan {
  const told = ({ stringValue, intValue, doubleValue }: Value) =>
    stringValue ?? intValue ?? doubleValue ?? '';
  return {
    ...span,
    attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, told(value)])),
    startMs: Number(BigInt(startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(endTimeUnixNano) / 1_000_000n),
  };
}

/** Attributes name things, and never say what was in them. */
export type Attributes = Record<string, string | number | boolean>;

export interface Beginning {
  name: string;
  kind: 'server' | 'client' | 'internal';
  /** W3C's `traceparent` of what caused it; where there is none, what is under way here. */
  parent?: string;
  attributes?: Attributes;
}

/** Something under way. */
export interface Span {
  traceId: string;
  /** W3C's `traceparent`, for whatever it causes elsewhere. */
  traceparent: string;
  rename(name: string): void;
  add(attributes: Attributes): void;
  fail(why: string): void;
}

/** Something that is over already, and had its number given to it: what it caused had to know. */
export interface Past {
  name: string;
  traceparent: string;
  parent: string;
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
}

/** Tells a collector what caused what, and how long it took. */
export interface Tracing {
  run<T>(beginning: Beginning, work: (span: Span) => Promise<T>): Promise<T>;
  /** What is under way here, if anything is. */
  current(): Span | undefined;
  record(past: Past): void;
  /** Sends what has not been sent, while there is time: whoever is frozen afterwards sends nothing. */
  flush(): Promise<void>;
  /** Sends what has not been sent, and ends. */
  close(): Promise<void>;
}

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Anybody may send one, and anything for one. */
export function readTraceparent(
  text: unknown,
): { traceId: string; spanId: string; flags: number } | undefined {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(typeof text === 'string' ? text : '') ?? [];
  return traceId && spanId ? { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 } : undefined;
}

/** A request to the outside, made by an agent: nobody has looked at it. */
export interface OutboundRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** Asked before each hop, redirects too: null, or why that address may not be called. */
  mayCall(url: URL): string | null;
  /** Headers for that hop alone, such as a key, never passed on to the next. Is it a host the operator calls internal? */
  headersFor?(url: URL, isInternal: boolean): Record<string, string>;
  maxBytes: number;
  timeoutMs: number;
  signal: AbortSignal;
}

export interface OutboundResponse {
  status: number;
  /** Where it came from, after redirects. */
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Longer than `maxBytes`, counted as it is unpacked: cut there. */
  truncated: boolean;
}

/** The way to the outside. What is refused or fails is an `Error` with a sentence to read. */
export interface Network {
  request(request: OutboundRequest): Promise<OutboundResponse>;
  close(): Promise<void>;
}

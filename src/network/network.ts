/** A request to the outside, made by an agent: nobody has looked at it. */
export interface OutboundRequest {
  url: string;
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** Asked before each hop, redirects too: null, or why that address may not be called. */
  mayCall(url: URL): string | null;
  /** False: an answer that sends elsewhere is handed back as it is. */
  followsRedirects?: boolean;
  /** Headers for that hop alone, such as a key, never passed on to the next. Is it a host the operator calls internal? */
  headersFor?(url: URL, isInternal: boolean): Record<string, string>;
  maxBytes: number;
  /** False: an answer counts once its status is there, however its body ends. */
  needsBody?: boolean;
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

/** One that can also tell beforehand. */
export interface CheckedNetwork extends Network {
  /** Why that address may not be called as things are now, or null; a name that leads nowhere yet is let pass. */
  refusalOf(url: URL): Promise<string | null>;
  /** Does the operator name this host as one on the inside that may be called? */
  isInternal(url: URL): boolean;
}

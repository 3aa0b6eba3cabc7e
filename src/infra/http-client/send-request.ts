import type { Readable } from 'node:stream';
import { Client } from 'undici';
import type { OutboundRequest } from './client';
import { createGuardedConnector, type SsrfGuard } from './ssrf-guard';
import { type HttpHeaders, HttpRequestError } from './validate-request';

/** A request whose URL and headers were checked. */
export interface PreparedRequest {
  url: URL;
  method: string;
  headers: HttpHeaders;
  body?: string;
}

interface RawResponse {
  status: number;
  headers: HttpHeaders;
  body: Buffer;
  truncated: boolean;
}

const UNREAD_BODY = { body: Buffer.alloc(0), truncated: true };
const MAX_HEADER_BYTES = 16_384;
/** Asks for no compression: a small response could expand to gigabytes. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'parley' };

/** Sends one request on its own connection, so that each is checked and none is shared. Does not follow redirects. */
export async function sendSingleRequest(
  request: PreparedRequest,
  guard: SsrfGuard,
  limits: ResponseLimits,
  signal: AbortSignal,
): Promise<RawResponse> {
  const { url, method, headers, body = null } = request;
  const client = new Client(url.origin, {
    connect: createGuardedConnector(guard, signal),
    pipelining: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The caller's deadline covers the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const path = url.pathname + url.search;
    const requestHeaders = { ...DEFAULT_HEADERS, ...headers };
    return await readResponse(await client.request({ path, method, headers: requestHeaders, body, signal }), limits);
  } catch (error) {
    throw signal.aborted ? signal.reason : toHttpRequestError(url.host, error);
  } finally {
    await client.destroy();
  }
}

type ResponseLimits = Pick<OutboundRequest, 'maxBytes' | 'needsBody'>;
type UndiciResponse = Awaited<ReturnType<Client['request']>>;

/** Reads the body up to the limit. */
async function readResponse(
  { statusCode: status, headers, body }: UndiciResponse,
  { maxBytes, needsBody = true }: ResponseLimits,
): Promise<RawResponse> {
  body.on('error', () => undefined);
  const reading = readBody(body, maxBytes);
  return {
    status,
    headers: flattenHeaders(headers),
    ...(await (needsBody ? reading : reading.catch(() => UNREAD_BODY))),
  };
}

function flattenHeaders(headers: UndiciResponse['headers']): HttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );
}

async function readBody(stream: Readable, maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

const CONNECTION_ERROR_MESSAGES: [codes: RegExp, format: (host: string) => string][] = [
  [/^(ENOTFOUND|EAI_|ENODATA)/, (host) => `The host ${host} was not found.`],
  [/^ECONNREFUSED$/, (host) => `${host} refused the connection.`],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT)/, (host) => `${host} could not be reached.`],
  [/^UND_ERR_HEADERS_OVERFLOW$/, (host) => `${host} responded with too many headers.`],
  [/^(EPROTO|ERR_SSL)/, (host) => `${host} does not support HTTPS on this port.`],
  [/^(HPE_|HTTPParserError)/, (host) => `${host} did not send a valid HTTP response.`],
  [/CERT|ISSUER|ALTNAME|SIGNATURE/, (host) => `The certificate of ${host} is not valid.`],
  [/^(ECONNRESET|EPIPE|UND_ERR_(SOCKET|INFO|RES_))/, (host) => `${host} closed the connection.`],
];

/** Describes a failed request without addresses and stacks, which would reveal the internal network. */
function toHttpRequestError(host: string, error: unknown): HttpRequestError {
  if (error instanceof HttpRequestError) return error;
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  const match = CONNECTION_ERROR_MESSAGES.find(([codes]) => codes.test(String(code ?? name)));
  return new HttpRequestError(match ? match[1](host) : `The request to ${host} failed.`);
}

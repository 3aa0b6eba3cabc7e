import { Client } from 'undici';
import { type Guard, guardedConnector } from './connect';
import type { Headers } from './headers';
import type { OutboundRequest } from './network';
import { isReadable, readBody } from './read-body';
import { type Hop, isRedirect } from './redirect';
import { troubleWith } from './trouble';

export interface Answer {
  status: number;
  headers: Headers;
  body: Buffer;
  truncated: boolean;
}

const UNREAD = { body: Buffer.alloc(0), truncated: true };
const HEADER_BYTES = 16_384;
const USUAL = { accept: '*/*', 'accept-encoding': 'gzip, br', 'user-agent': 'parley' };

/** One request on a connection of its own, so each is checked anew and none is shared. Redirects are not followed. */
export async function call(hop: Hop, guard: Guard, limits: Limits, signal: AbortSignal): Promise<Answer> {
  const { url, method, headers, body = null } = hop;
  const client = new Client(url.origin, {
    connect: guardedConnector(guard, signal),
    pipelining: 0,
    maxHeaderSize: HEADER_BYTES,
    // The deadline is for all of it, however the time was spent.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const path = url.pathname + url.search;
    const sent = { ...USUAL, ...headers };
    return await read(await client.request({ path, method, headers: sent, body, signal }), method, limits);
  } catch (error) {
    throw signal.aborted ? signal.reason : troubleWith(url.host, error);
  } finally {
    await client.destroy();
  }
}

type Limits = Pick<OutboundRequest, 'maxBytes' | 'needsBody'>;
type Response = Awaited<ReturnType<Client['request']>>;

async function read(
  { statusCode: status, headers: given, body }: Response,
  method: string,
  { maxBytes, needsBody = true }: Limits,
): Promise<Answer> {
  body.on('error', () => undefined);
  const headers = plain(given);
  if (isRedirect({ status, headers })) return { status, headers, body: Buffer.alloc(0), truncated: false };
  const { 'content-encoding': encoding, 'content-length': length, ...rest } = headers;
  const isEmpty = method === 'HEAD' || status === 204 || status === 304 || length === '0';
  // Nothing at all is not what an unpacker takes for packed.
  const reading = readBody(body, isEmpty ? undefined : encoding, maxBytes);
  const answer = await (needsBody ? reading : reading.catch(() => UNREAD));
  return { status, headers: isReadable(encoding) ? rest : headers, ...answer };
}

function plain(headers: Response['headers']): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [
      name,
      typeof value === 'string' ? value : value.join(', '),
    ]),
  );
}

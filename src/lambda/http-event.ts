import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** An event of a Function URL or an HTTP API: both send payload format 2.0. */
export type LambdaHttpEvent = Pick<
  APIGatewayProxyEventV2,
  'rawPath' | 'rawQueryString' | 'cookies' | 'body' | 'isBase64Encoded'
> & {
  headers: Record<string, string | undefined>;
  requestContext: { domainName: string; http: { method: string; sourceIp: string } };
};

export type LambdaHttpRequest = ReturnType<typeof toLambdaHttpRequest>;

/** Headers of the original connection, and headers in which a caller could claim any address. */
const IGNORED_REQUEST_HEADERS =
  /^(connection|keep-alive|transfer-encoding|upgrade|expect|content-length|forwarded|x-forwarded-.*|x-real-ip)$/;
/** Characters that a decoded path may contain, but a request line may not. */
const INVALID_PATH_CHARACTERS = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** Converts an event to a request. The caller's address comes from AWS, not from the caller's headers. */
export function toLambdaHttpRequest(event: LambdaHttpEvent, { awsRequestId }: Pick<Context, 'awsRequestId'>) {
  const { method, sourceIp } = event.requestContext.http;
  const headerEntries = Object.entries(event.headers).flatMap(([name, value]) =>
    value === undefined || IGNORED_REQUEST_HEADERS.test(name.toLowerCase())
      ? []
      : [[name.toLowerCase(), value] as const],
  );
  const body =
    event.body === undefined ? undefined : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const query = event.rawQueryString ? `?${event.rawQueryString}` : '';
  const path = event.rawPath.replace(INVALID_PATH_CHARACTERS, encodeCharacter);
  return {
    method,
    path: `${path}${query}`,
    headers: {
      'x-request-id': awsRequestId,
      ...Object.fromEntries(headerEntries),
      ...(event.cookies?.length ? { cookie: event.cookies.join('; ') } : {}),
      ...(body ? { 'content-length': String(body.length) } : {}),
      'x-forwarded-for': sourceIp,
      'x-forwarded-proto': 'https',
    },
    body,
  };
}

/** Encodes a character. A lone surrogate becomes U+FFFD, as it cannot be encoded. */
function encodeCharacter(character: string): string {
  return /^\p{Surrogate}$/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);
}

/** Forwards a request to the API in this process, on a new connection: a kept one may die in a frozen process. */
export function forwardToApi(
  url: string,
  { method, path, headers, body }: LambdaHttpRequest,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers, agent: false }, resolve).once('error', reject).end(body);
  });
}

export type LambdaResponse = Awaited<ReturnType<typeof toLambdaResponse>>;

/** Headers of the local connection. Cookies are returned separately. */
const HOP_BY_HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'set-cookie'];

/** Returns status and headers in AWS' format: cookies are separate, and each other header occurs once. */
export function toLambdaResponseHead(response: IncomingMessage) {
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values = []]) =>
    HOP_BY_HOP_HEADERS.includes(name) ? [] : [[name, values.join(', ')] as const],
  );
  return {
    statusCode: response.statusCode ?? 500,
    headers: Object.fromEntries(headers),
    cookies: response.headersDistinct['set-cookie'] ?? [],
  };
}

const TEXT_CONTENT_TYPES = /^(text\/|application\/(json|problem\+json|javascript|manifest\+json)|image\/svg)/;

export async function toLambdaResponse(response: IncomingMessage) {
  const head = toLambdaResponseHead(response);
  const bytes = await buffer(response);
  const isText = TEXT_CONTENT_TYPES.test(head.headers['content-type'] ?? '') && !head.headers['content-encoding'];
  const body = bytes.toString(isText ? 'utf8' : 'base64');
  return { ...head, body, isBase64Encoded: !isText };
}

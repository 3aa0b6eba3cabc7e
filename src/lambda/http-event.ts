import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { PROBLEMS, type Problem } from '#contract/problem';

/** Of a Function URL or an HTTP API: both send payloads of format 2.0. */
export type LambdaHttpEvent = Pick<
  APIGatewayProxyEventV2,
  'rawPath' | 'rawQueryString' | 'cookies' | 'body' | 'isBase64Encoded'
> & {
  headers: Record<string, string | undefined>;
  requestContext: { domainName: string; http: { method: string; sourceIp: string } };
};

export interface LambdaHttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** What is about a connection, which is not the one we make, and what anybody could say of themselves. */
const IGNORED_REQUEST_HEADERS =
  /^(connection|keep-alive|transfer-encoding|upgrade|expect|content-length|forwarded|x-forwarded-.*|x-real-ip)$/;
/** As a path comes that somebody has decoded. */
const INVALID_PATH_CHARACTERS = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** The request an event stands for. Who calls is told by AWS and not by the caller. */
export function toLambdaHttpRequest(
  event: LambdaHttpEvent,
  { awsRequestId }: Pick<Context, 'awsRequestId'>,
): LambdaHttpRequest {
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

/** Half a character is nothing that a path could have. */
function encodeCharacter(character: string): string {
  return /^\p{Surrogate}$/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);
}

/** Ask the API in this very process. A connection for each: one that was kept may have died while the process was frozen. */
export function forwardToApi(
  url: string,
  { method, path, headers, body }: LambdaHttpRequest,
): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers, agent: false }, resolve).once('error', reject).end(body);
  });
}

/** The head of a reply as AWS takes it: cookies apart, and each other header once. */
export interface LambdaResponseHead {
  statusCode: number;
  headers: Record<string, string>;
  cookies: string[];
}

export interface LambdaResponse extends LambdaResponseHead {
  body: string;
  isBase64Encoded: boolean;
}

/** Of the connection within. */
const HOP_BY_HOP_HEADERS = ['connection', 'keep-alive', 'transfer-encoding', 'set-cookie'];

export function toLambdaResponseHead(response: IncomingMessage): LambdaResponseHead {
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
/** AWS takes 6 MB, with everything around it. */
const MAX_RESPONSE_BYTES = 5_900_000;

/** The whole reply at once. */
export async function toLambdaResponse(response: IncomingMessage): Promise<LambdaResponse> {
  const head = toLambdaResponseHead(response);
  const bytes = await buffer(response);
  const isText = TEXT_CONTENT_TYPES.test(head.headers['content-type'] ?? '') && !head.headers['content-encoding'];
  const body = bytes.toString(isText ? 'utf8' : 'base64');
  if (Buffer.byteLength(JSON.stringify(body)) > MAX_RESPONSE_BYTES) return createTooLargeResponse(bytes.length);
  return { ...head, body, isBase64Encoded: !isText };
}

function createTooLargeResponse(bytes: number): LambdaResponse {
  const [status, title] = PROBLEMS.internal;
  const size = `${(bytes / 1e6).toFixed(1)} MB`;
  const problem: Problem = {
    type: 'urn:parley:problem:internal',
    title,
    status,
    code: 'internal',
    detail: `The response has ${size}, and Lambda gives back 6 MB at once. Have it streamed: see deploy/lambda/README.md.`,
  };
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    cookies: [],
    body: JSON.stringify(problem),
    isBase64Encoded: false,
  };
}

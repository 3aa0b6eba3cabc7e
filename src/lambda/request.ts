import { type IncomingMessage, request } from 'node:http';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';

/** Of a Function URL or an HTTP API: both send payloads of format 2.0. */
export type HttpEvent = Pick<
  APIGatewayProxyEventV2,
  'rawPath' | 'rawQueryString' | 'cookies' | 'body' | 'isBase64Encoded'
> & {
  headers: Record<string, string | undefined>;
  requestContext: { domainName: string; http: { method: string; sourceIp: string } };
};

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer | undefined;
}

/** What is about a connection, which is not the one we make, and what anybody could say of themselves. */
const DROPPED =
  /^(connection|keep-alive|transfer-encoding|upgrade|expect|content-length|forwarded|x-forwarded-.*|x-real-ip)$/;
/** As a path comes that somebody has decoded. */
const UNFIT = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** The request an event stands for. Who calls is told by AWS and not by the caller. */
export function askedBy(event: HttpEvent, { awsRequestId }: Pick<Context, 'awsRequestId'>): Asked {
  const { method, sourceIp } = event.requestContext.http;
  const given = Object.entries(event.headers).flatMap(([name, value]) =>
    value === undefined || DROPPED.test(name.toLowerCase()) ? [] : [[name.toLowerCase(), value] as const],
  );
  const body =
    event.body === undefined ? undefined : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const query = event.rawQueryString ? `?${event.rawQueryString}` : '';
  const path = event.rawPath.replace(UNFIT, encoded);
  return {
    method,
    path: `${path}${query}`,
    headers: {
      'x-request-id': awsRequestId,
      ...Object.fromEntries(given),
      ...(event.cookies?.length ? { cookie: event.cookies.join('; ') } : {}),
      ...(body ? { 'content-length': String(body.length) } : {}),
      'x-forwarded-for': sourceIp,
      'x-forwarded-proto': 'https',
    },
    body,
  };
}

/** Half a character is nothing that a path could have. */
function encoded(character: string): string {
  return /^\p{Surrogate}$/u.test(character) ? '%EF%BF%BD' : encodeURIComponent(character);
}

/** Ask the API in this very process. A connection for each: one that was kept may have died while the process was frozen. */
export function ask(url: string, { method, path, headers, body }: Asked): Promise<IncomingMessage> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers, agent: false }, resolve).once('error', reject).end(body);
  });
}

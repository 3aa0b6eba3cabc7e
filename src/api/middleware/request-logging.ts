import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Log } from '#infra/log';
import type { Principal } from './authentication';

const OWN_ID = /^[\w.-]{1,64}$/;

/** A line for each request: what, by whom, how it went, and the code of a refusal. No header, query or body, so neither keys nor answers, and no link. */
export function requestLogging(log: Log) {
  return pinoHttp({
    logger: log,
    genReqId: (request, response) => {
      const given = String(request.headers['x-request-id'] ?? '');
      const id = OWN_ID.test(given) ? given : randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    autoLogging: { ignore: (request) => request.url === '/healthz' || request.url === '/readyz' },
    customAttributeKeys: { reqId: 'requestId', responseTime: 'ms' },
    // Otherwise what is asked for below is written twice, first as it was before there was a reply.
    quietReqLogger: true,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    customLogLevel: (request, { statusCode }) => {
      if (statusCode >= 500) return 'error';
      // Somebody scrapes all day long.
      return request.url === '/metrics' && statusCode < 400 ? 'debug' : 'info';
    },
    customProps: (request, response) => ({
      method: request.method,
      path: pathOf(request),
      status: response.statusCode,
      conversation: conversationOf(request),
      traceId: (response as Response).locals?.traceId,
      caller: callerName(response),
      code: (response as Response).locals?.problem,
    }),
    customSuccessMessage: (_request, response) => said(response),
    customErrorMessage: (_request, response) => said(response),
  });
}

/** Whoever follows a stream leaves it some time; with anything else they gave up, perhaps before all was sent. */
function said({ req, writableFinished }: ServerResponse): string {
  return writableFinished && !req.errored ? 'request' : 'request aborted';
}

/** What follows is as good as a key: where it belongs, cut off or not, and whole wherever a slip put it. */
const AT_LINKS = /^\/+a\/.*/i;
const LINK = /[\w-]+\.[\w-]{43}(?![\w-])/g;

function pathOf(request: IncomingMessage): string {
  const { originalUrl } = request as IncomingMessage & { originalUrl?: string };
  const path = (originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
  return path.replace(AT_LINKS, '/a/…').replace(LINK, '…').slice(0, 300);
}

/** Where the path names one. */
function conversationOf(request: IncomingMessage): string | undefined {
  const [, id] = /^\/v1\/conversations\/([\w.-]{1,128})(?:\/|$)/.exec(pathOf(request)) ?? [];
  return id;
}

function callerName(response: ServerResponse): string | null | undefined {
  return ((response as Response).locals?.caller as Principal | undefined)?.name;
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Response } from 'express';
import { pinoHttp } from 'pino-http';
import type { Log } from '#infra/log';
import type { Principal } from './authentication';

const VALID_REQUEST_ID = /^[\w.-]{1,64}$/;

/**
 * Logs a line for each request: method, path, caller, status, and the code of an error. No headers, queries or bodies,
 * so neither keys nor answers, and no answer links.
 */
export function requestLogging(log: Log) {
  return pinoHttp({
    logger: log,
    genReqId: (request, response) => {
      const requested = String(request.headers['x-request-id'] ?? '');
      const id = VALID_REQUEST_ID.test(requested) ? requested : randomUUID();
      response.setHeader('X-Request-Id', id);
      return id;
    },
    autoLogging: { ignore: (request) => request.url === '/healthz' || request.url === '/readyz' },
    customAttributeKeys: { reqId: 'requestId', responseTime: 'ms' },
    // Otherwise the custom properties are logged twice, first with their values from before the response.
    quietReqLogger: true,
    quietResLogger: true,
    wrapSerializers: false,
    serializers: { req: () => undefined, res: () => undefined, err: () => undefined },
    customLogLevel: (request, { statusCode }) => {
      if (statusCode >= 500) return 'error';
      // Scrapes are frequent.
      return request.url === '/metrics' && statusCode < 400 ? 'debug' : 'info';
    },
    customProps: (request, response) => ({
      method: request.method,
      path: redactedPath(request),
      status: response.statusCode,
      conversation: conversationIdOf(request),
      traceId: (response as Response).locals?.traceId,
      caller: callerName(response),
      code: (response as Response).locals?.problem,
    }),
    customSuccessMessage: (_request, response) => logMessage(response),
    customErrorMessage: (_request, response) => logMessage(response),
  });
}

/** A request counts as aborted if the client disconnected before the response was complete. */
function logMessage({ req, writableFinished }: ServerResponse): string {
  return writableFinished && !req.errored ? 'request' : 'request aborted';
}

/** Answer-link tokens are secrets. They are redacted under /a/ even when truncated, and elsewhere when complete. */
const ANSWER_LINK_PATH = /^\/+a\/.*/i;
const LINK_TOKEN = /[\w-]+\.[\w-]{43}(?![\w-])/g;

function redactedPath(request: IncomingMessage): string {
  const { originalUrl } = request as IncomingMessage & { originalUrl?: string };
  const path = (originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
  return path.replace(ANSWER_LINK_PATH, '/a/…').replace(LINK_TOKEN, '…').slice(0, 300);
}

/** Returns the conversation id in the path, if any. */
function conversationIdOf(request: IncomingMessage): string | undefined {
  const [, id] = /^\/v1\/conversations\/([\w.-]{1,128})(?:\/|$)/.exec(redactedPath(request)) ?? [];
  return id;
}

function callerName(response: ServerResponse): string | null | undefined {
  return ((response as Response).locals?.caller as Principal | undefined)?.name;
}

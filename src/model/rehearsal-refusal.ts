import type { ServerResponse } from 'node:http';
import type { Refusal } from './rehearsal-reply';

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** An error as the API words it. */
export function refuse(res: ServerResponse, error: Refusal['error']): undefined {
  const { status, type = TYPES[status] ?? 'api_error', message = type, retryAfter } = error;
  if (retryAfter !== undefined) res.setHeader('retry-after', String(retryAfter));
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(
    JSON.stringify({ type: 'error', error: { type, message }, request_id: res.getHeader('request-id') }),
  );
}

/** A script that throws is a fault of the server's, said as the API would. */
export function fail(res: ServerResponse, error: unknown): void {
  if (res.headersSent || res.destroyed) res.destroy();
  else refuse(res, { status: 500, message: error instanceof Error ? error.message : String(error) });
}

import type { Request, RequestHandler, Response } from 'express';
import type { Metrics } from '#telemetry/telemetry';

/** Tells how each request went to whoever counts. */
export function countServed({ http }: Pick<Metrics, 'http'>): RequestHandler {
  return (request, response, next) => {
    const began = performance.now();
    response.once('close', () => {
      http.served({
        method: request.method,
        route: routeOf(request, response),
        status: response.statusCode,
        seconds: (performance.now() - began) / 1_000,
        isStream: String(response.getHeader('content-type') ?? '').startsWith('text/event-stream'),
      });
    });
    next();
  };
}

/** As the contract writes it: a path as it was asked for has ids in it, or anything at all. */
export function routeOf(request: Request, response: Response): string {
  const path: unknown = request.route?.path;
  if (typeof path === 'string' && !path.includes('*')) return path.replace(/:(\w+)/g, '{$1}');
  return response.statusCode === 404 ? '(none)' : '(web)';
}

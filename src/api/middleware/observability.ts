import type { Request, RequestHandler, Response } from 'express';
import type { Tracing } from '#infra/telemetry/tracing';
import type { Metrics } from '#telemetry/telemetry';

/** Records each request in the metrics. */
export function httpMetrics({ http }: Pick<Metrics, 'http'>): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      http.recordRequest({
        method: request.method,
        route: routeTemplate(request, response),
        status: response.statusCode,
        seconds: (performance.now() - startedAt) / 1_000,
        isStream: String(response.getHeader('content-type') ?? '').startsWith('text/event-stream'),
      });
    });
    next();
  };
}

/** Returns the route's template from the contract, as actual paths contain ids or arbitrary text. */
function routeTemplate(request: Request, response: Response): string {
  const path: unknown = request.route?.path;
  if (typeof path === 'string' && !path.includes('*')) return path.replace(/:(\w+)/g, '{$1}');
  return response.statusCode === 404 ? '(none)' : '(web)';
}

/** Health checks and scrapes are too frequent to trace, and streams may last for days. */
const UNTRACED = /^\/(healthz|readyz|metrics)$|\/events$/;

/** Records a span for each request, below the caller's span. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    if (UNTRACED.test(request.path)) return next();
    const { method } = request;
    const attributes = { 'http.request.method': method };
    const parent = request.get('traceparent');
    void tracing.run({ name: method, kind: 'server', parent, attributes }, async (span) => {
      response.locals.traceId = span.traceId;
      const closed = new Promise((resolve) => response.once('close', resolve));
      next();
      await closed;
      const route = routeTemplate(request, response);
      const { id } = request.params ?? {};
      const { statusCode, locals } = response;
      span.rename(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': statusCode });
      if (id) span.setAttributes({ 'parley.conversation': String(id) });
      if (statusCode >= 500) span.fail(String(locals.problem ?? statusCode));
    });
  };
}

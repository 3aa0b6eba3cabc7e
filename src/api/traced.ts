import type { RequestHandler } from 'express';
import type { Tracing } from '#infra/telemetry/tracing';
import { routeOf } from './served';

/** What asks for these asks often; and a stream may last for days. */
const UNTRACED = /^\/(healthz|readyz|metrics)$|\/events$/;

/** Each request is a span, below that of whoever sent it. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    if (UNTRACED.test(request.path)) return next();
    const { method } = request;
    const attributes = { 'http.request.method': method };
    const parent = request.get('traceparent');
    void tracing.run({ name: method, kind: 'server', parent, attributes }, async (span) => {
      response.locals.traceId = span.traceId;
      const over = new Promise((resolve) => response.once('close', resolve));
      next();
      await over;
      const route = routeOf(request, response);
      const { id } = request.params ?? {};
      const { statusCode, locals } = response;
      span.rename(`${method} ${route}`);
      span.add({ 'http.route': route, 'http.response.status_code': statusCode });
      if (id) span.add({ 'parley.conversation': String(id) });
      if (statusCode >= 500) span.fail(String(locals.problem ?? statusCode));
    });
  };
}

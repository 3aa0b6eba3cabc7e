import type { Network } from '#network/network';
import type { Tracing } from './tracing';

/** Receivers of webhooks are told which trace they are part of; of their addresses only the host is told. */
export function tracedNetwork<N extends Network>(network: N, tracing: Tracing): N {
  return {
    ...network,
    request: (sent) => {
      const attributes = { 'http.request.method': sent.method, 'server.address': hostOf(sent.url) };
      return tracing.run({ name: sent.method, kind: 'client', attributes }, async (span) => {
        const headers = { ...sent.headers, traceparent: span.traceparent };
        const response = await network.request({ ...sent, headers });
        span.add({ 'http.response.status_code': response.status });
        return response;
      });
    },
  };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

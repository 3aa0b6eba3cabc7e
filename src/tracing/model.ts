import { type Model, ModelError } from '../model/model';
import type { Network } from '../network/network';
import type { Tracing } from './tracing';

/** Names as OpenTelemetry gives them to calls of a model. What is said stays out of it. */
export function tracedModel(model: Model, tracing: Tracing): Model {
  return {
    ...model,
    answer: (call) =>
      tracing.run(
        {
          name: `chat ${call.model}`,
          kind: 'client',
          attributes: {
            'gen_ai.operation.name': 'chat',
            'gen_ai.provider.name': 'anthropic',
            'gen_ai.request.model': call.model,
            'gen_ai.request.max_tokens': call.maxTokens,
          },
        },
        async (span) => {
          const answer = await model.answer(call).catch((error: unknown) => {
            if (error instanceof ModelError && error.status)
              span.add({ 'http.response.status_code': error.status });
            throw error;
          });
          span.add({
            'gen_ai.usage.input_tokens': answer.usage.inputTokens,
            'gen_ai.usage.output_tokens': answer.usage.outputTokens,
            'gen_ai.response.finish_reasons': answer.stopReason,
          });
          return answer;
        },
      ),
  };
}

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

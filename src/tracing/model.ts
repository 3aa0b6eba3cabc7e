import { type Model, ModelError } from '#model/model';
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

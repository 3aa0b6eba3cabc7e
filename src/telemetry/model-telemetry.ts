import type { TokenUsage } from '#contract/conversation';
import { NO_USAGE } from '#core/conversation/usage';
import { createLabelLimiter, type MetricFactory } from '#infra/telemetry/prometheus';
import type { Tracing } from '#infra/telemetry/tracing';
import { type Model, ModelError } from '#models/model';

const MODEL_SECONDS_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600];

/** Wraps a model to record the duration, outcome and tokens of its calls. */
export function createModelMetrics(factory: MetricFactory): (model: Model) => Model {
  const calls = factory.counter(
    'parley_model_calls_total',
    'Model calls: ok, stopped, or the status of the error. Includes retries.',
    ...['model', 'outcome'],
  );
  const help = 'Duration of a model call, to the end of the reply.';
  const duration = factory.histogram('parley_model_call_seconds', help, MODEL_SECONDS_BUCKETS, 'model');
  const tokens = factory.counter(
    'parley_model_tokens_total',
    'Tokens read (input) and written (output) by the model.',
    ...['model', 'direction'],
  );
  const droppedThinking = factory.counter(
    'parley_model_input_transformations_total',
    'Earlier thinking blocks that the API left out of a request, since something before them had changed.',
    'model',
  );
  const cost = factory.counter(
    'parley_model_cost_usd_total',
    'Cost of model calls in USD, if the price is known. Includes interrupted calls.',
    ...['agent', 'model'],
  );
  const limitLabel = createLabelLimiter();
  const limitAgentLabel = createLabelLimiter();
  const countedGenerate = async (wrapped: Model, call: Parameters<Model['generate']>[0]) => {
    const model = limitLabel(call.model);
    const stopTimer = duration.startTimer({ model });
    let usage = NO_USAGE;
    const onUsage = (used: TokenUsage) => {
      usage = used;
      call.onUsage?.(used);
    };
    try {
      const reply = await wrapped.generate({ ...call, onUsage });
      usage = reply.usage;
      calls.inc({ model, outcome: 'ok' });
      droppedThinking.inc({ model }, reply.droppedThinking);
      return reply;
    } catch (error) {
      calls.inc({ model, outcome: call.signal.aborted ? 'stopped' : toModelOutcomeLabel(error) });
      throw error;
    } finally {
      tokens.inc({ model, direction: 'input' }, usage.inputTokens);
      tokens.inc({ model, direction: 'output' }, usage.outputTokens);
      if (usage.cost !== undefined) cost.inc({ agent: limitAgentLabel(call.agent), model }, usage.cost);
      stopTimer();
    }
  };
  return (wrapped) => ({ ...wrapped, generate: (call) => countedGenerate(wrapped, call) });
}

function toModelOutcomeLabel(error: unknown): string {
  if (!(error instanceof ModelError)) return 'failed';
  return error.overflow ? 'too_long' : String(error.status ?? 'unreachable');
}

/** Traces model calls, with OpenTelemetry's attribute names and without any content. */
export function withModelTracing(model: Model, tracing: Tracing): Model {
  return {
    ...model,
    generate: (call) =>
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
          const answer = await model.generate(call).catch((error: unknown) => {
            if (error instanceof ModelError && error.status)
              span.setAttributes({ 'http.response.status_code': error.status });
            throw error;
          });
          span.setAttributes({
            'gen_ai.usage.input_tokens': answer.usage.inputTokens,
            'gen_ai.usage.output_tokens': answer.usage.outputTokens,
            'gen_ai.response.finish_reasons': answer.stopReason,
          });
          return answer;
        },
      ),
  };
}

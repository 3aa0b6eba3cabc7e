import { type Model, ModelError } from '#model/model';
import type { Instruments } from './instruments';
import { bounded } from './labels';

const CALLS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600];

/** A model whose calls are counted: how long, how it went, and what it read and wrote. */
export function modelMetrics(make: Instruments): (model: Model) => Model {
  const calls = make.counter(
    'parley_model_calls_total',
    'Calls of the model: ok, stopped, or the status it refused with; what failed in passing is tried again.',
    ...['model', 'outcome'],
  );
  const about = 'How long a call of the model takes, to the end of its reply.';
  const seconds = make.histogram('parley_model_call_seconds', about, CALLS, 'model');
  const tokens = make.counter(
    'parley_model_tokens_total',
    'Tokens that the model read (input) and wrote (output).',
    ...['model', 'direction'],
  );
  const named = bounded();
  const answer = async (given: Model, call: Parameters<Model['answer']>[0]) => {
    const model = named(call.model);
    const stop = seconds.startTimer({ model });
    try {
      const answered = await given.answer(call);
      calls.inc({ model, outcome: 'ok' });
      tokens.inc({ model, direction: 'input' }, answered.usage.inputTokens);
      tokens.inc({ model, direction: 'output' }, answered.usage.outputTokens);
      return answered;
    } catch (error) {
      calls.inc({ model, outcome: call.signal.aborted ? 'stopped' : refusalOf(error) });
      throw error;
    } finally {
      stop();
    }
  };
  return (given) => ({ ...given, answer: (call) => answer(given, call) });
}

function refusalOf(error: unknown): string {
  if (!(error instanceof ModelError)) return 'failed';
  return error.overflow ? 'too_long' : String(error.status ?? 'unreachable');
}

import { Counter, Histogram, type Registry } from 'prom-client';
import { type Model, ModelError } from '../model/model';
import { bounded } from './labels';

const CALLS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300, 600];

/** A model whose calls are counted: how long, how it went, and what it read and wrote. */
export function modelMetrics(registers: Registry[]): (model: Model) => Model {
  const calls = new Counter({
    name: 'parley_model_calls_total',
    help: 'Calls of the model: ok, stopped, or the status it refused with; what failed in passing is tried again.',
    labelNames: ['model', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'parley_model_call_seconds',
    help: 'How long a call of the model takes, to the end of its reply.',
    labelNames: ['model'],
    buckets: CALLS,
    registers,
  });
  const tokens = new Counter({
    name: 'parley_model_tokens_total',
    help: 'Tokens that the model read (input) and wrote (output).',
    labelNames: ['model', 'direction'],
    registers,
  });
  const named = bounded();
  return (given) => ({
    ...given,
    async answer(call) {
      const model = named(call.model);
      const stop = seconds.startTimer({ model });
      try {
        const answer = await given.answer(call);
        calls.inc({ model, outcome: 'ok' });
        tokens.inc({ model, direction: 'input' }, answer.usage.inputTokens);
        tokens.inc({ model, direction: 'output' }, answer.usage.outputTokens);
        return answer;
      } catch (error) {
        calls.inc({ model, outcome: call.signal.aborted ? 'stopped' : refusalOf(error) });
        throw error;
      } finally {
        stop();
      }
    },
  });
}

function refusalOf(error: unknown): string {
  if (!(error instanceof ModelError)) return 'failed';
  return error.overflow ? 'too_long' : String(error.status ?? 'unreachable');
}

import { Refusal } from './errors';
import type { Run } from './run';
import { isNotFound } from './temporal-trouble';

/** One query of a kind at a time for each conversation: a run buffers only one while a task is pending. */
export function createQueries() {
  const underWay = new Map<string, Promise<unknown>>();
  return async <T>(run: Run, name: string, ask: () => Promise<T>): Promise<T> => {
    const key = `${name} ${run.runId}`;
    const asked = underWay.get(key) ?? ask().finally(() => underWay.delete(key));
    underWay.set(key, asked);
    try {
      return (await asked) as T;
    } catch (error) {
      if (isNotFound(error)) throw error;
      throw new Refusal(
        'worker_unavailable',
        'No worker is running that could read this conversation. Try again in a moment.',
      );
    }
  };
}

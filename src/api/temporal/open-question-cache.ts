import type { Execution } from './execution';

const MAX_CACHED = 500;

/** LRU cache of runs with an open question. */
export function createOpenQuestionCache() {
  const executions = new Map<string, Execution>();
  return {
    remember(run: Execution): Execution {
      executions.delete(run.id);
      if (run.memo.question && run.status === 'RUNNING') executions.set(run.id, run);
      const [oldest] = executions.keys();
      if (executions.size > MAX_CACHED && oldest !== undefined) executions.delete(oldest);
      return run;
    },
    /** The cached run with this open question. It may have been resolved since. */
    get(conversationId: string, questionId: string): Execution | undefined {
      const run = executions.get(conversationId);
      return run?.memo.question?.id === questionId ? run : undefined;
    },
  };
}

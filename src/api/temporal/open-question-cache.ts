import type { Execution } from './execution';

const KEPT = 500;

/** The runs that ask something, of those that were looked at last. */
export function createOpenQuestionCache() {
  const asking = new Map<string, Execution>();
  return {
    note(run: Execution): Execution {
      asking.delete(run.id);
      if (run.memo.question && run.status === 'RUNNING') asking.set(run.id, run);
      const [oldest] = asking.keys();
      if (asking.size > KEPT && oldest !== undefined) asking.delete(oldest);
      return run;
    },
    /** A run that asked this when last looked at; it may have been settled since. */
    asking(conversationId: string, questionId: string): Execution | undefined {
      const run = asking.get(conversationId);
      return run?.memo.question?.id === questionId ? run : undefined;
    },
  };
}

import type { Run } from './run';

const KEPT = 500;

/** The runs that ask something, of those that were looked at last. */
export function createRecall() {
  const asking = new Map<string, Run>();
  return {
    note(run: Run): Run {
      asking.delete(run.id);
      if (run.memo.question && run.status === 'RUNNING') asking.set(run.id, run);
      const [oldest] = asking.keys();
      if (asking.size > KEPT && oldest !== undefined) asking.delete(oldest);
      return run;
    },
    /** A run that asked this when last looked at; it may have been settled since. */
    asking(conversationId: string, questionId: string): Run | undefined {
      const run = asking.get(conversationId);
      return run?.memo.question?.id === questionId ? run : undefined;
    },
  };
}

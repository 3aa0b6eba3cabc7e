import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

/** What went wrong outside, in words for the model and for people. */
export function readable(error: unknown, code: string, otherwise: string): { code: string; message: string } {
  const isWrapped = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  const cause = isWrapped ? (error.cause ?? error) : error;
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? code, message: cause.message };
  return { code, message: `${otherwise}: ${cause instanceof Error ? cause.message : String(cause)}` };
}

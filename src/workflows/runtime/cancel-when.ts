import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  isCancellation,
} from '@temporalio/workflow';
import { type ConversationState, isConversationFinished } from '#core/conversation/state';

/** Runs the work and cancels it as soon as the predicate turns true. */
export async function cancelWhen<T>(isOver: () => boolean, work: () => Promise<T>): Promise<T> {
  const scope = new CancellationScope({ cancellable: true });
  let done = false;
  void condition(() => done || isOver()).then(() => done || scope.cancel());
  try {
    return await scope.run(work);
  } finally {
    done = true;
  }
}

/** Describes a failed activity or child, for the model and for people. */
export function describeFailure(error: unknown, code: string, otherwise: string): { code: string; message: string } {
  const isWrapped = error instanceof ActivityFailure || error instanceof ChildWorkflowFailure;
  const cause = isWrapped ? (error.cause ?? error) : error;
  if (cause instanceof ApplicationFailure) return { code: cause.type ?? code, message: cause.message };
  return { code, message: `${otherwise}: ${cause instanceof Error ? cause.message : String(cause)}` };
}

/** Runs the work; returns `undefined` if the conversation was cancelled meanwhile, which cancels the work too. */
export async function cancelWhenFinished<T>(state: ConversationState, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await cancelWhen(() => isConversationFinished(state), work);
  } catch (error) {
    if (isCancellation(error) && isConversationFinished(state)) return undefined;
    throw error;
  }
}

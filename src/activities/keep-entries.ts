import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { keepPiece } from '#storage/entries';
import { StorageError, type Store } from '#storage/store';
import { getEntries } from '#workflows/messages';
import { askRun } from './ask-run';

/** Entries that are about to leave a conversation's state, by their numbers. */
export interface Stretch {
  /** What they are kept as. */
  name: string;
  from: number;
  to: number;
}

/** Keep entries outside of Temporal. They are read from the run itself, so that its history does not hold them twice. */
export async function keepEntries(
  { client, storage }: { client: Client; storage?: Store },
  { name, from, to }: Stretch,
): Promise<boolean> {
  if (!storage) return false;
  const { info, log } = Context.current();
  const run = info.workflowExecution as { workflowId: string; runId: string };
  const entries = await askRun(client, run, getEntries, from, to);
  try {
    await keepPiece(storage, run.workflowId, name, entries);
  } catch (error) {
    const { message } = error as Error;
    log.warn('Old entries could not be kept', { why: message, attempt: info.attempt });
    const nonRetryable = error instanceof StorageError && error.isDenied;
    throw ApplicationFailure.create({ message, type: 'not_kept', nonRetryable });
  }
  return true;
}

import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { writeArchiveChunk } from '#archive/conversation-archive';
import { type ObjectStore, StorageError } from '#infra/storage/object-store';
import { getEntriesQuery } from '#workflows/messages';
import { queryWorkflow } from './query-workflow';

/** Entries that are about to leave a conversation's state, by their numbers. */
export interface EntryRange {
  /** What they are kept as. */
  name: string;
  from: number;
  to: number;
}

/** Keep entries outside of Temporal. They are read from the run itself, so that its history does not hold them twice. */
export async function archiveEntries(
  { client, storage }: { client: Client; storage?: ObjectStore },
  { name, from, to }: EntryRange,
): Promise<boolean> {
  if (!storage) return false;
  const { info, log } = Context.current();
  const run = info.workflowExecution as { workflowId: string; runId: string };
  const entries = await queryWorkflow(client, run, getEntriesQuery, from, to);
  try {
    await writeArchiveChunk(storage, run.workflowId, name, entries);
  } catch (error) {
    const { message } = error as Error;
    log.warn('Old entries could not be kept', { why: message, attempt: info.attempt });
    const nonRetryable = error instanceof StorageError && error.isDenied;
    throw ApplicationFailure.create({ message, type: 'not_archived', nonRetryable });
  }
  return true;
}

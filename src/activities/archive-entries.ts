import { ApplicationFailure, Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { writeArchiveChunk } from '#archive/conversation-archive';
import { type ObjectStore, StorageError } from '#infra/storage/object-store';
import { getEntriesQuery } from '#workflows/messages';
import { queryWorkflow } from './query-workflow';

/** A range of entry ids to archive. */
export interface EntryRange {
  /** Name of the chunk in storage. */
  name: string;
  from: number;
  to: number;
}

/** Archives entries in storage. Reads them from the run, so that the history does not hold them twice. */
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
    log.warn('Failed to archive old entries', { why: message, attempt: info.attempt });
    const nonRetryable = error instanceof StorageError && error.isDenied;
    throw ApplicationFailure.create({ message, type: 'not_archived', nonRetryable });
  }
  return true;
}

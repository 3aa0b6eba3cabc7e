import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '@temporalio/client';
import type { Config } from '#infra/config';
import type { Log } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import { CONVERSATIONS_PREFIX } from './conversation-archive';

/** Skips recent folders: a conversation may be stored before Temporal reports that it exists. */
const MIN_ORPHAN_AGE_MS = 24 * 3_600_000;
/** Limit for each start; the next start continues. */
const MAX_FOLDERS_CHECKED = 5_000;

/** Deletes the folders of conversations for which `isDeleted` holds. Returns how many were deleted. */
export async function deleteOrphanedFolders(
  root: string,
  isDeleted: (id: string) => Promise<boolean>,
): Promise<number> {
  const folder = path.join(root, CONVERSATIONS_PREFIX);
  let removed = 0;
  for (const id of await listOldestFolders(folder)) {
    if (!(await isDeleted(id))) continue;
    await rm(path.join(folder, id), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function listOldestFolders(folder: string): Promise<string[]> {
  const ids = await readdir(folder).catch(() => []);
  const candidates = await Promise.all(
    ids.map(async (id) => {
      const stats = await stat(path.join(folder, id)).catch(() => undefined);
      return stats?.isDirectory() ? [{ id, modifiedAt: stats.mtimeMs }] : [];
    }),
  );
  return candidates
    .flat()
    .filter(({ modifiedAt }) => Date.now() - modifiedAt > MIN_ORPHAN_AGE_MS)
    .sort((a, b) => a.modifiedAt - b.modifiedAt)
    .slice(0, MAX_FOLDERS_CHECKED)
    .map(({ id }) => id);
}

/** Checks whether Temporal reports the conversation as not found. Any other reply, or none, counts as no. */
async function isConversationDeleted(client: Client, id: string): Promise<boolean> {
  try {
    await client.withDeadline(Date.now() + 3_000, () => client.workflow.getHandle(id).describe());
    return false;
  } catch (error) {
    return (error as Error).name === 'WorkflowNotFoundError';
  }
}

/**
 * Deletes folders of conversations that no longer exist. Only for the Temporal server whose data is beside the folder:
 * another server does not know these conversations.
 */
export async function cleanUpStorageFolder(folder: string, { temporal }: Config, log: Log): Promise<void> {
  const client = createTemporalClient(temporal);
  try {
    const removed = await deleteOrphanedFolders(folder, (id) => isConversationDeleted(client, id));
    if (removed > 0) log.info({ removed }, 'deleted the stored data of conversations that no longer exist');
  } catch (error) {
    log.warn({ error: (error as Error).message }, "can't clean up the storage folder");
  } finally {
    await client.connection.close();
  }
}

import { storedResultKey } from '#archive/conversation-archive';
import { isResultHandle } from '#core/tools/stored-result';
import { StorageError } from '#infra/storage/object-store';
import type { Context } from './context';
import { Refusal } from './errors';

/** All of a result that was too large for its conversation. The handle of another one's leads nowhere. */
export async function readResult(
  context: Pick<Context, 'storage' | 'log'>,
  id: string,
  handle: string,
): Promise<Buffer> {
  const { storage } = context;
  if (!storage)
    throw new Refusal(
      'result_not_found',
      'This API keeps no results: it has no storage. If the workers have one, set PARLEY_STORAGE here to the same.',
    );
  const kept = isResultHandle(handle)
    ? await storage.get(storedResultKey(id, handle)).catch(unread(context, id))
    : undefined;
  if (kept) return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  throw new Refusal(
    'result_not_found',
    `There is no result ${JSON.stringify(handle.slice(0, 100))} in this conversation, or it is no longer kept.`,
  );
}

/** Where the storage is, and why it cannot be read, is for the log. */
function unread({ log }: Pick<Context, 'log'>, conversation: string) {
  return (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error;
    log.warn({ error: error.message, conversation }, 'a kept result could not be read');
    throw new Refusal(
      'storage_unavailable',
      'The storage that has this result cannot be read just now. Nothing is lost: try again in a moment. If it lasts, whoever runs Parley finds the reason in the log.',
    );
  };
}

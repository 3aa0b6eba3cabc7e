import type { ApiDeps } from '#api/dependencies';
import { requireVisible } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import type { OperationHandlers } from '#api/router';
import { cancelConversation } from '#api/services/cancel-conversation';
import { exportConversation } from '#api/services/export-conversation';
import { countConversations, listConversations } from '#api/services/list-conversations';
import { readTimeline, readWithFreshness, setAsOfHeader, setListAsOfHeader } from '#api/services/read-conversation';
import { sendMessage } from '#api/services/send-message';
import { startConversation } from '#api/services/start-conversation';
import { storedResultKey } from '#archive/conversation-archive';
import type { Conversation } from '#contract/conversation';
import type { ConversationListResponse } from '#contract/responses';
import { isResultHandle } from '#core/tools/stored-result-marker';
import { StorageError } from '#infra/storage/object-store';

export function conversationRoutes(deps: ApiDeps) {
  const { gateway, buildLinks, streamHub, withStreamLimit } = deps;
  return {
    startConversation: (input, response) => startConversation(deps, input, response),
    async listConversations({ caller, query }, response) {
      const [page, counts] = await Promise.all([
        listConversations(deps, caller, query),
        query.counts ? countConversations(deps, caller, query.agent) : undefined,
        setListAsOfHeader(deps, response),
      ]);
      response.json({ ...page, counts } satisfies ConversationListResponse);
    },
    async getConversation({ caller, params }, response) {
      const run = await requireVisible(gateway, caller, params.id);
      const { conversation, asOf } = await readWithFreshness(gateway, run);
      setAsOfHeader(response, asOf);
      response.json({ ...conversation, links: buildLinks(run.id) } satisfies Conversation);
    },
    async getTimeline({ caller, params, query }, response) {
      const run = await requireVisible(gateway, caller, params.id);
      response.json(await readTimeline(gateway, run, query.after));
    },
    sendMessage: (input, response) => sendMessage(deps, input, response),
    cancelConversation: (input, response) => cancelConversation(deps, input, response),
    async followConversation({ caller, params, lastEventId }, response, request) {
      const run = await requireVisible(gateway, caller, params.id);
      await withStreamLimit(caller, () => streamHub.followConversation(run, lastEventId, request, response));
    },
    async getResult({ caller, params: { id, handle } }, response) {
      const run = await requireVisible(gateway, caller, id);
      const text = await readStoredToolResult(deps, run.id, handle);
      response.attachment(`${run.id}-${handle}.txt`).send(text);
    },
    async exportConversation({ caller, params }, response) {
      const run = await requireVisible(gateway, caller, params.id);
      const exported = await exportConversation(deps, run);
      response.attachment(`${run.id}.json`).json(exported);
    },
  } satisfies Partial<OperationHandlers>;
}

/** Reads a stored tool result. Handles are only valid in their own conversation. */
async function readStoredToolResult(
  deps: Pick<ApiDeps, 'storage' | 'log'>,
  id: string,
  handle: string,
): Promise<Buffer> {
  const { storage } = deps;
  if (!storage)
    throw new ApiError(
      'result_not_found',
      "This API has no storage for results. Set PARLEY_STORAGE to the workers' value.",
    );
  const stored = isResultHandle(handle)
    ? await storage.get(storedResultKey(id, handle)).catch(toReadError(deps, id))
    : undefined;
  if (stored) return Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  throw new ApiError(
    'result_not_found',
    `No result ${JSON.stringify(handle.slice(0, 100))} in this conversation, or it was deleted.`,
  );
}

/** Returns a handler that logs why the storage cannot be read, without exposing it to the caller. */
function toReadError({ log }: Pick<ApiDeps, 'log'>, conversation: string) {
  return (error: unknown): never => {
    if (!(error instanceof StorageError)) throw error;
    log.warn({ error: error.message, conversation }, 'failed to read a saved result');
    throw new ApiError(
      'storage_unavailable',
      "The result can't be read from storage right now. It is not lost: retry shortly. If this continues, ask your administrator to check the log.",
    );
  };
}

import type { ApiDeps } from '#api/dependencies';
import { listConversations } from '#api/services/list-conversations';
import type { Execution, ExecutionRef } from '#api/temporal/execution';
import type { ConversationListQuery } from '#contract/requests';
import { buildMemo } from '#core/projections';
import { startedConversation } from '#test/support/core/conversation-fixture';

const caller = { name: null, scopes: ['admin'] as const };

const createRun = (id: string, runId: string): Execution => ({
  id,
  runId,
  status: 'COMPLETED',
  closedAt: null,
  firstRunId: runId,
  historyLength: 10,
  memo: buildMemo(startedConversation({ id })),
});

it('lists every conversation beside one that was reopened more often than a page is long', async () => {
  const runs = [createRun('often', 'run-1000'), createRun('once', 'run-1')];
  const reopened: ExecutionRef[] = Array.from({ length: 1_000 }, (_, n) => ({
    id: 'often',
    runId: `run-${1_000 - n}`,
  }));
  const gateway = {
    salt: 'salt',
    list: async (query: string) =>
      query.includes('WorkflowId IN')
        ? { runs: [], refs: reopened, unreadable: [], token: Buffer.from('more') }
        : { runs, refs: runs, unreadable: [], token: Buffer.alloc(0) },
    find: async (wanted: string) => runs.find(({ id }) => id === wanted),
  };
  const deps = { gateway, secret: 'secret', buildLinks: () => ({}) } as unknown as ApiDeps;
  const { items } = await listConversations(deps, caller, { limit: 20 } as ConversationListQuery);
  expect(items.map(({ id }) => id)).toEqual(['often', 'once']);
});

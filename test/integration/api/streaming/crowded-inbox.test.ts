import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listOpenQuestions } from '#api/services/list-inbox';
import { createStreamHub } from '#api/streaming/hub';
import type { Execution } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { buildMemo } from '#core/projections';
import { applyAnswer } from '#core/questions/resolve';
import {
  askingConversation,
  colourQuestion,
  modelSays,
  START_TIME,
  toolUse,
} from '#test/support/core/conversation-fixture';
import { watchInboxEvents } from '#test/support/sse-client';

/** A Visibility with this many open questions, which it returns in pages. */
function createCrowdedInbox(size: number) {
  const state = askingConversation();
  applyAnswer(state, { id: 'm-1', answer: 'Red' }, START_TIME);
  modelSays(state, toolUse('call-2', 'ask_user_question', { questions: [colourQuestion] }));
  const memo = buildMemo(state);
  const runs = Array.from({ length: size }, (_, index): Execution => {
    const [id, runId] = [`c-${index}`, `run-${index}`];
    const question = memo.question && { ...memo.question, conversationId: id };
    const runFields = { firstRunId: runId, historyLength: 0, status: 'RUNNING', closedAt: null } as const;
    return { id, runId, ...runFields, memo: { ...memo, question } };
  });
  const started = { lists: 0 };
  const gateway = {
    list: async (_query: string, pageSize: number, token?: Buffer) => {
      if (!token) started.lists += 1;
      const from = Number(token?.toString() ?? 0);
      const isMore = from + pageSize < size;
      return {
        runs: runs.slice(from, from + pageSize),
        unreadable: [],
        token: Buffer.from(isMore ? `${from + pageSize}` : ''),
      };
    },
  } as unknown as TemporalGateway;
  return { gateway, memo, begun: started };
}

describe('an inbox of more than a page', () => {
  it('is listed to its end, up to ten thousand', async () => {
    const completeList = await listOpenQuestions(createCrowdedInbox(10_000).gateway);
    expect([new Set(completeList.runs.map(({ id }) => id)).size, completeList.truncated]).toEqual([10_000, false]);
    const truncatedList = await listOpenQuestions(createCrowdedInbox(10_001).gateway);
    expect([truncatedList.runs.length, truncatedList.truncated]).toEqual([10_000, true]);
  });

  it('omits questions that closed before', async () => {
    const { gateway, memo } = createCrowdedInbox(1);
    expect([memo.settledQuestion?.status, memo.messageResults.length]).toEqual(['answered', 1]);
    const { runs } = await listOpenQuestions(gateway);
    expect(runs[0]?.memo).toEqual({
      ...memo,
      settledQuestion: null,
      messageResults: [],
      question: runs[0]?.memo.question,
    });
    expect(runs[0]?.memo.question?.conversationId).toBe('c-0');
  });

  it('shows each caller their questions, wherever they are in the list, with one read', async () => {
    const { gateway, begun: started } = createCrowdedInbox(2_500);
    const streamHub = createStreamHub(gateway, () => ({ self: '', events: '', web: '', temporal: '' }), {
      inboxPollMs: 3_600_000,
    });
    const server = createServer((request, response) => {
      const wantedId = new URL(request.url ?? '', 'http://live').searchParams.get('mine');
      void streamHub.followInbox({ canSee: ({ id }) => id === wantedId, seesEverything: false }, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const id of ['c-0', 'c-1000', 'c-2499']) {
      const watcher = await watchInboxEvents(url, `?mine=${id}`);
      const { data } = await watcher.waitForEvent(({ event }) => event === 'snapshot');
      expect(data).toEqual({ items: [expect.objectContaining({ conversationId: id })] });
    }
    expect(started.lists).toBe(1);
    await streamHub.stop();
    server.close();
  });
});

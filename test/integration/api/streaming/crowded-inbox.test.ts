import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listOpenQuestions } from '#api/services/list-conversations';
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

/** So many wait: the rows of a Visibility that hands them out by the page. */
function crowd(size: number) {
  const state = askingConversation();
  applyAnswer(state, { id: 'm-1', answer: 'Red' }, START_TIME);
  modelSays(state, toolUse('call-2', 'ask_user_question', { questions: [colourQuestion] }));
  const memo = buildMemo(state);
  const runs = Array.from({ length: size }, (_, index): Execution => {
    const [id, runId] = [`c-${index}`, `run-${index}`];
    const question = memo.question && { ...memo.question, conversationId: id };
    const rest = { firstRunId: runId, historyLength: 0, status: 'RUNNING', closedAt: null } as const;
    return { id, runId, ...rest, memo: { ...memo, question } };
  });
  const begun = { lists: 0 };
  const gateway = {
    list: async (_query: string, pageSize: number, token?: Buffer) => {
      if (!token) begun.lists += 1;
      const from = Number(token?.toString() ?? 0);
      const isMore = from + pageSize < size;
      return {
        runs: runs.slice(from, from + pageSize),
        unreadable: [],
        token: Buffer.from(isMore ? `${from + pageSize}` : ''),
      };
    },
  } as unknown as TemporalGateway;
  return { gateway, memo, begun };
}

describe('an inbox of more than a page', () => {
  it('is listed to its end, up to ten thousand', async () => {
    const whole = await listOpenQuestions(crowd(10_000).gateway);
    expect([new Set(whole.runs.map(({ id }) => id)).size, whole.truncated]).toEqual([10_000, false]);
    const more = await listOpenQuestions(crowd(10_001).gateway);
    expect([more.runs.length, more.truncated]).toEqual([10_000, true]);
  });

  it('is kept without what was settled before', async () => {
    const { gateway, memo } = crowd(1);
    expect([memo.settled?.status, memo.verdicts.length]).toEqual(['answered', 1]);
    const { runs } = await listOpenQuestions(gateway);
    expect(runs[0]?.memo).toEqual({ ...memo, settled: null, verdicts: [], question: runs[0]?.memo.question });
    expect(runs[0]?.memo.question?.conversationId).toBe('c-0');
  });

  it('shows everybody what is theirs, wherever in the list that is, by one look', async () => {
    const { gateway, begun } = crowd(2_500);
    const live = createStreamHub(gateway, () => ({ self: '', events: '', web: '', temporal: '' }), {
      inboxEveryMs: 3_600_000,
    });
    const server = createServer((request, response) => {
      const mine = new URL(request.url ?? '', 'http://live').searchParams.get('mine');
      void live.followInbox({ isFor: ({ id }) => id === mine }, request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const id of ['c-0', 'c-1000', 'c-2499']) {
      const watcher = await watchInboxEvents(url, `?mine=${id}`);
      const { data } = await watcher.until(({ event }) => event === 'snapshot');
      expect(data).toEqual({ items: [expect.objectContaining({ conversationId: id })] });
    }
    expect(begun.lists).toBe(1);
    await live.stop();
    server.close();
  });
});

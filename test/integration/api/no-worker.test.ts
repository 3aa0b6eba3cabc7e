import { waitForMessageResult } from '#api/services/message-results';
import { createTemporalGateway, type TemporalGateway } from '#api/temporal/gateway';
import type { Conversation } from '#contract/conversation';
import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import type { ConversationExport } from '#contract/responses';
import { createTemporalClient } from '#infra/temporal/client';
import { startApiWithWaitLimits, withWaitLimits } from '#test/support/api/api-with-wait-limits';
import { retryWithLongerTimeout, waitUntilPassed } from '#test/support/api/deadlines';
import { type InterleavingScenario, runInterleaved } from '#test/support/api/interleaving';
import { eventually } from '#test/support/eventually';
import {
  type ApiResponse,
  type CallApi,
  PATIENCE_WITH_WORKER,
  PATIENCE_WITHOUT_WORKER,
  startParley,
  type TestParley,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const bytes = (text: string) => new TextEncoder().encode(text);
const unreadable = {
  metadata: { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes('lost') },
  data: new Uint8Array(64),
};

/** Nothing of Parley's has to be up while people think, but for the API that they talk to. */
describe('with no worker running', () => {
  /** Asked while a worker is up. */
  let p: TestParley;
  /** Asked while none is: it soon gives up waiting for one. */
  let alone: { call: CallApi; stop(): Promise<void> };
  let played: Map<string, Promise<void>>;

  const parked = async (more: object = {}) => {
    const id = await p.start('Hello', more);
    await p.question(id);
    return id;
  };
  type Told = Problem & { question: Question };
  const answer = (id: string, choice: string, qid = 'latest', call = alone.call): Promise<ApiResponse<Told>> =>
    call('POST', `/v1/conversations/${id}/questions/${qid}/answer`, { answer: choice });
  const asOf = async (call: CallApi, route: string) =>
    Date.parse((await call('GET', route)).headers.get('x-parley-as-of') ?? '');

  const SCENES: Record<string, InterleavingScenario> = {
    'keeps an answer, says so with 202, and acts on it when a worker starts': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      const { status, body } = await answer(id, 'A');
      expect([status, body.question.status]).toEqual([202, 'pending']);
      await back();
      expect((await p.until(id, 'completed')).result).toBe('heard {"answers":{"Which?":"A"}}');
    },

    'still shows the question in the inbox and in the conversation, and refuses a bad answer': async ({ gone }) => {
      const id = await parked();
      await gone();
      const shown = await alone.call<Conversation>('GET', `/v1/conversations/${id}`);
      expect(shown.body.question?.id).toBe('question-1');
      const inbox = await alone.call<{ items: object[] }>('GET', `/v1/questions?conversation=${id}`);
      expect(inbox.body.items).toHaveLength(1);
      const bad = await answer(id, 'C');
      expect([bad.status, bad.body.code]).toEqual([400, 'invalid_answer']);
      const timeline = await alone.call<Problem>('GET', `/v1/conversations/${id}/timeline`);
      expect([timeline.status, timeline.body.code]).toEqual([503, 'worker_unavailable']);
      expect(timeline.headers.get('retry-after')).not.toBeNull();
    },

    'takes the first of two answers kept, and tells the truth afterwards': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      expect((await answer(id, 'A')).status).toBe(202);
      expect((await answer(id, 'B')).status).toBe(202);
      await back();
      expect((await p.until(id, 'completed')).result).toContain('"A"');
      const late = await answer(id, 'B');
      expect(late.status).toBe(409);
      expect(late.body.question).toMatchObject({ outcome: { answers: { q1: 'A' } } });
    },

    'does not say that it keeps an answer, or a cancel, to a conversation that has ended meanwhile': async ({
      gone,
    }) => {
      const id = await parked();
      await gone();
      await answer(id, 'A');
      await p.client.workflow.getHandle(id).terminate();
      const late = await answer(id, 'B', 'question-1');
      expect([late.status, late.body.code]).toEqual([409, 'question_cancelled']);
      const cancelled = await alone.call<Problem>('POST', `/v1/conversations/${id}/cancel`, {});
      expect([cancelled.status, cancelled.body.code]).toEqual([409, 'conversation_finished']);
    },

    'tells what it can of one that was terminated before a worker took its answer in': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      expect((await answer(id, 'A')).status).toBe(202);
      await p.client.workflow.getHandle(id).terminate();
      await back();
      const { body } = await p.call<ConversationExport>('GET', `/v1/conversations/${id}/export`);
      const asked = expect.objectContaining({ id: 'question-1', status: 'cancelled' });
      expect(body).toMatchObject({
        truncated: true,
        questions: [asked],
        conversation: { status: 'cancelled' },
      });
      expect(body.timeline[0]).toMatchObject({ kind: 'message', role: 'user', text: 'Hello' });
      expect(JSON.stringify(body.transcript)).toContain('Hello');
    },

    'acts on what it kept in the order it came': async ({ gone, back }) => {
      await gone();
      const id = await p.start('Hello');
      await alone.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
      const cancelled = await alone.call('POST', `/v1/conversations/${id}/cancel`, {});
      expect(cancelled.status).toBe(202);
      await back();
      await p.until(id, 'cancelled');
    },

    'keeps a start, a message and a cancel': async ({ gone, back }) => {
      const asked = await parked();
      await gone();
      const id = await p.start('Hello');
      const begun = await alone.call<Conversation>('GET', `/v1/conversations/${id}`);
      expect(begun.body.status).toBe('running');
      const said = await alone.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
      expect(said.status).toBe(202);
      const cancelled = await alone.call('POST', `/v1/conversations/${asked}/cancel`, {});
      expect(cancelled.status).toBe(202);
      await back();
      await p.until(asked, 'cancelled');
      await p.question(id);
      const timeline = `/v1/conversations/${id}/timeline`;
      const { body } = await p.call<{ items: { text?: string }[] }>('GET', timeline);
      expect(body.items.map((entry) => entry.text)).toContain('And this');
    },

    'says as of when it holds: what came since is kept, and not acted on yet': async ({ gone, back }) => {
      const id = await parked();
      await gone();
      const before = Date.now();
      expect(await asOf(alone.call, `/v1/conversations/${id}`)).toBeGreaterThanOrEqual(before);
      // It takes an answer or two, or more on a busy machine, to find out that nobody is there.
      const after = await eventually(async () => {
        expect((await answer(id, 'A')).status).toBe(202);
        const now = Date.now();
        for (const route of [`/v1/conversations/${id}`, `/v1/conversations/${id}/questions/latest`]) {
          const held = await asOf(alone.call, route);
          expect(held).toBeGreaterThanOrEqual(before);
          expect(held).toBeLessThanOrEqual(now);
        }
        return now;
      });
      // The last worker that asked for work is some while gone.
      expect(await asOf(alone.call, `/v1/questions?conversation=${id}`)).toBeLessThan(before);
      const begun = await p.start('Nobody has heard this yet');
      const { body, headers } = await alone.call<Conversation>('GET', `/v1/conversations/${begun}`);
      expect(headers.get('x-parley-as-of')).toBe(body.updatedAt);
      await back();
      await p.until(id, 'completed');
      expect(await asOf(p.call, `/v1/conversations/${id}`)).toBeGreaterThan(after);
      await p.question(begun);
    },

    'waits for nobody once it knows that nobody is there': async ({ gone }) => {
      const id = await parked();
      await gone();
      await answer(id, 'A');
      const client = createTemporalClient(p.config.temporal);
      const gateway: TemporalGateway = createTemporalGateway(client, p.taskQueue, {
        keptEntries: async () => ({ entries: [], isWhole: false }),
        sayMissing: () => false,
        salt: 'salt',
        patience: PATIENCE_WITHOUT_WORKER,
      });
      let looks = 0;
      const look = async () => {
        const before = looks;
        await waitForMessageResult(gateway, id, () => {
          looks += 1;
          return undefined;
        });
        return looks - before;
      };
      expect(await look()).toBeGreaterThan(0);
      expect(await look()).toBe(0);
      const query = jest.spyOn(client.workflowService, 'queryWorkflow');
      const run = await gateway.find(id);
      await expect(gateway.queryTimeline(run)).rejects.toMatchObject({ code: 'worker_unavailable' });
      expect(query).not.toHaveBeenCalled();
      query.mockRestore();
      await gateway.close();
    },
  };

  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      script: (r) =>
        lastToolResults(r).length > 0
          ? replyWithText(`heard ${lastToolResults(r)[0]?.text}`)
          : replyWithQuestion('Which?', 'A', 'B'),
    });
    await withWaitLimits(p, { patience: PATIENCE_WITH_WORKER });
    alone = await startApiWithWaitLimits(p, { patience: PATIENCE_WITHOUT_WORKER });
    played = runInterleaved(p, SCENES);
  });
  afterAll(async () => {
    await Promise.allSettled(played.values());
    await alone.stop();
    await p.stop();
  });

  it.each(Object.keys(SCENES))('%s', (name) => played.get(name));

  it('counts what was received before the deadline, and takes nothing after it, though the worker comes later', async () => {
    await Promise.allSettled(played.values());
    const [early, late] = await retryWithLongerTimeout(async (timeout) => {
      const question = { timeout };
      const both = await Promise.all([parked({ question }), parked({ question })]);
      await p.stopWorker();
      try {
        const asked = await Promise.all(both.map((id) => alone.call<Conversation>('GET', `/v1/conversations/${id}`)));
        const [one, other] = asked.map(({ body }) => body) as [Conversation, Conversation];
        expect((await answer(one.id, 'A')).status).toBe(202);
        return [one, other];
      } catch (error) {
        await p.startWorker();
        throw error;
      }
    });
    // On a busy machine the two are not asked in the same moment.
    for (const { question } of [early, late]) await waitUntilPassed(question?.expiresAt);
    // It has not timed out, but nobody can tell yet: somebody answered in time.
    const second = await answer(early.id, 'B');
    expect([second.status, second.body.code]).toEqual([503, 'worker_unavailable']);
    // Something that was received in time may be on its way yet: who knows before a worker does?
    const only = await answer(late.id, 'B', 'question-1');
    expect([only.status, only.body.code]).toEqual([503, 'worker_unavailable']);
    expect(only.body.detail).toMatch(/too late for this question, so this was not taken/);

    await p.startWorker();
    expect((await p.until(early.id, 'completed')).result).toContain('"A"');
    expect((await p.until(late.id, 'completed')).result).toContain('timed_out');
    const codes = [];
    for (const { id } of [early, late]) {
      const told = await answer(id, 'B', 'question-1');
      codes.push([told.status, told.body.code]);
    }
    expect(codes).toEqual([
      [409, 'question_answered'],
      [409, 'question_timed_out'],
    ]);
  });

  it('tells a repeat after the deadline what became of the first, by an API that saw the question last when it was open', async () => {
    await Promise.allSettled(played.values());
    const { id, expiresAt, send } = await retryWithLongerTimeout(async (timeout) => {
      const id = await p.start('Hello', { question: { timeout } });
      const { expiresAt } = await p.question(id);
      await alone.call('GET', `/v1/conversations/${id}`);
      const route = `/v1/conversations/${id}/questions/question-1/answer`;
      const send = (call: CallApi) =>
        call<Partial<Problem>>('POST', route, { answer: 'A' }, { 'idempotency-key': `late-${id}` });
      expect((await send(p.call)).status).toBe(200);
      return { id, expiresAt, send };
    });
    await p.until(id, 'completed');
    await p.stopWorker();
    await answer(await p.start('Nobody there'), 'A');
    await waitUntilPassed(expiresAt);
    expect((await send(alone.call)).status).toBe(200);
    await p.startWorker();
  });

  it('is not concluded from one conversation that a worker is stuck with', async () => {
    await Promise.allSettled(played.values());
    const [stuck, other] = await Promise.all([parked(), parked()]);
    // Encrypted, by its own word, with a key that nobody has: the worker fails at it again and again.
    await p.client.workflowService.signalWorkflowExecution({
      namespace: p.client.options.namespace,
      workflowExecution: { workflowId: stuck },
      signalName: 'answerQuestion',
      input: { payloads: [unreadable] },
    });
    const begun = async () => {
      const { raw } = await p.client.workflow.getHandle(stuck).describe();
      return Number(raw.pendingWorkflowTask?.attempt ?? 0) > 1 || raw.pendingWorkflowTask?.startedTime;
    };
    while (!(await begun())) await new Promise((resolve) => setTimeout(resolve, 20));
    const fresh = await startApiWithWaitLimits(p, { patience: PATIENCE_WITHOUT_WORKER });
    expect((await answer(stuck, 'A', 'latest', fresh.call)).status).toBe(202);
    const now = Date.now();
    expect(await asOf(fresh.call, `/v1/questions?conversation=${other}`)).toBeGreaterThanOrEqual(now);
    expect((await answer(other, 'A', 'latest', p.call)).status).toBe(200);
    await fresh.stop();
    await p.client.workflow.getHandle(stuck).terminate();
  });
});

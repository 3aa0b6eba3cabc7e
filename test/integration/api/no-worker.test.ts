import { WorkerUnavailableError } from '#api/temporal/errors';
import type { Execution } from '#api/temporal/execution';
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
  startParley,
  type TestParley,
  WAIT_LIMITS_WITH_WORKER,
  WAIT_LIMITS_WITHOUT_WORKER,
} from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

const bytes = (text: string) => new TextEncoder().encode(text);
const unreadable = {
  metadata: { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes('lost') },
  data: new Uint8Array(64),
};

/** While people think, nothing of Parley has to run except the API they use. */
describe('with no worker running', () => {
  /** Used while a worker is running. */
  let p: TestParley;
  /** Used while none is: it soon stops waiting for one. */
  let apiWithoutWorker: { call: CallApi; stop(): Promise<void> };
  let scenarioResults: Map<string, Promise<void>>;

  const startParkedConversation = async (overrides: object = {}) => {
    const id = await p.startConversation('Hello', overrides);
    await p.waitForQuestion(id);
    return id;
  };
  type AnswerReply = Problem & { question: Question };
  const answer = (
    id: string,
    choice: string,
    qid = 'latest',
    call = apiWithoutWorker.call,
  ): Promise<ApiResponse<AnswerReply>> =>
    call('POST', `/v1/conversations/${id}/questions/${qid}/answer`, { answer: choice });
  const readAsOf = async (call: CallApi, route: string) =>
    Date.parse((await call('GET', route)).headers.get('x-parley-as-of') ?? '');

  const SCENARIOS: Record<string, InterleavingScenario> = {
    'keeps an answer, says so with 202, and acts on it when a worker starts': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      const { status, body } = await answer(id, 'A');
      expect([status, body.question.status]).toEqual([202, 'pending']);
      await workerRestarted();
      expect((await p.waitForStatus(id, 'completed')).result).toBe('heard {"answers":{"Which?":"A"}}');
    },

    'still shows the question in the inbox and in the conversation, and refuses a bad answer': async ({
      workerStopped,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      const conversation = await apiWithoutWorker.call<Conversation>('GET', `/v1/conversations/${id}`);
      expect(conversation.body.question?.id).toBe('question-1');
      const inbox = await apiWithoutWorker.call<{ items: object[] }>('GET', `/v1/questions?conversation=${id}`);
      expect(inbox.body.items).toHaveLength(1);
      const invalid = await answer(id, 'C');
      expect([invalid.status, invalid.body.code]).toEqual([400, 'invalid_answer']);
      const timeline = await apiWithoutWorker.call<Problem>('GET', `/v1/conversations/${id}/timeline`);
      expect([timeline.status, timeline.body.code]).toEqual([503, 'worker_unavailable']);
      expect(timeline.headers.get('retry-after')).not.toBeNull();
    },

    'takes the first of two answers kept, and tells the truth afterwards': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      expect((await answer(id, 'A')).status).toBe(202);
      expect((await answer(id, 'B')).status).toBe(202);
      await workerRestarted();
      expect((await p.waitForStatus(id, 'completed')).result).toContain('"A"');
      const late = await answer(id, 'B');
      expect(late.status).toBe(409);
      expect(late.body.question).toMatchObject({ outcome: { answers: { q1: 'A' } } });
    },

    'does not say that it keeps an answer, or a cancel, to a conversation that has ended meanwhile': async ({
      workerStopped,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      await answer(id, 'A');
      await p.client.workflow.getHandle(id).terminate();
      const late = await answer(id, 'B', 'question-1');
      expect([late.status, late.body.code]).toEqual([409, 'question_cancelled']);
      const cancelled = await apiWithoutWorker.call<Problem>('POST', `/v1/conversations/${id}/cancel`, {});
      expect([cancelled.status, cancelled.body.code]).toEqual([409, 'conversation_finished']);
    },

    'tells what it can of one that was terminated before a worker took its answer in': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      expect((await answer(id, 'A')).status).toBe(202);
      await p.client.workflow.getHandle(id).terminate();
      await workerRestarted();
      const { body } = await p.call<ConversationExport>('GET', `/v1/conversations/${id}/export`);
      const cancelledQuestion = expect.objectContaining({ id: 'question-1', status: 'cancelled' });
      expect(body).toMatchObject({
        truncated: true,
        questions: [cancelledQuestion],
        conversation: { status: 'cancelled' },
      });
      expect(body.timeline[0]).toMatchObject({ kind: 'message', role: 'user', text: 'Hello' });
      expect(JSON.stringify(body.transcript)).toContain('Hello');
    },

    'acts on what it kept in the order it came': async ({ workerStopped, workerRestarted }) => {
      await workerStopped();
      const id = await p.startConversation('Hello');
      await apiWithoutWorker.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
      const cancelled = await apiWithoutWorker.call('POST', `/v1/conversations/${id}/cancel`, {});
      expect(cancelled.status).toBe(202);
      await workerRestarted();
      await p.waitForStatus(id, 'cancelled');
    },

    'keeps a start, a message and a cancel': async ({ workerStopped, workerRestarted }) => {
      const parkedId = await startParkedConversation();
      await workerStopped();
      const id = await p.startConversation('Hello');
      const started = await apiWithoutWorker.call<Conversation>('GET', `/v1/conversations/${id}`);
      expect(started.body.status).toBe('running');
      const message = await apiWithoutWorker.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
      expect(message.status).toBe(202);
      const cancelled = await apiWithoutWorker.call('POST', `/v1/conversations/${parkedId}/cancel`, {});
      expect(cancelled.status).toBe(202);
      await workerRestarted();
      await p.waitForStatus(parkedId, 'cancelled');
      await p.waitForQuestion(id);
      const timeline = `/v1/conversations/${id}/timeline`;
      const { body } = await p.call<{ items: { text?: string }[] }>('GET', timeline);
      expect(body.items.map((entry) => entry.text)).toContain('And this');
    },

    'says as of when it holds: what came since is kept, and not acted on yet': async ({
      workerStopped,
      workerRestarted,
    }) => {
      const id = await startParkedConversation();
      await workerStopped();
      const before = Date.now();
      expect(await readAsOf(apiWithoutWorker.call, `/v1/conversations/${id}`)).toBeGreaterThanOrEqual(before);
      // It takes an answer or two, or more on a busy machine, to notice that no worker is running.
      const after = await eventually(async () => {
        expect((await answer(id, 'A')).status).toBe(202);
        const now = Date.now();
        for (const route of [`/v1/conversations/${id}`, `/v1/conversations/${id}/questions/latest`]) {
          const asOf = await readAsOf(apiWithoutWorker.call, route);
          expect(asOf).toBeGreaterThanOrEqual(before);
          expect(asOf).toBeLessThanOrEqual(now);
        }
        return now;
      });
      // The last worker polled some time ago.
      expect(await readAsOf(apiWithoutWorker.call, `/v1/questions?conversation=${id}`)).toBeLessThan(before);
      const started = await p.startConversation('Nobody has heard this yet');
      const { body, headers } = await apiWithoutWorker.call<Conversation>('GET', `/v1/conversations/${started}`);
      expect(headers.get('x-parley-as-of')).toBe(body.updatedAt);
      await workerRestarted();
      await p.waitForStatus(id, 'completed');
      expect(await readAsOf(p.call, `/v1/conversations/${id}`)).toBeGreaterThan(after);
      await p.waitForQuestion(started);
    },

    'waits for nobody once it knows that nobody is there': async ({ workerStopped }) => {
      const id = await startParkedConversation();
      await workerStopped();
      await answer(id, 'A');
      const client = createTemporalClient(p.config.temporal);
      const gateway: TemporalGateway = createTemporalGateway(client, p.taskQueue, {
        readArchive: async () => ({ entries: [], isComplete: false }),
        reportMissingKey: () => false,
        salt: 'salt',
        waitLimits: WAIT_LIMITS_WITHOUT_WORKER,
      });
      let reads = 0;
      const countReads = async () => {
        const before = reads;
        const find = () => gateway.find(id);
        await gateway.workerPresence.poll(find, () => {
          reads += 1;
          return undefined;
        });
        return reads - before;
      };
      expect(await countReads()).toBeGreaterThan(0);
      expect(await countReads()).toBe(0);
      const query = jest.spyOn(client.workflowService, 'queryWorkflow');
      const run = (await gateway.find(id)) as Execution;
      await expect(gateway.queryTimeline(run)).rejects.toThrow(WorkerUnavailableError);
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
    await withWaitLimits(p, { waitLimits: WAIT_LIMITS_WITH_WORKER });
    apiWithoutWorker = await startApiWithWaitLimits(p, { waitLimits: WAIT_LIMITS_WITHOUT_WORKER });
    scenarioResults = runInterleaved(p, SCENARIOS);
  });
  afterAll(async () => {
    await Promise.allSettled(scenarioResults.values());
    await apiWithoutWorker.stop();
    await p.stop();
  });

  it.each(Object.keys(SCENARIOS))('%s', (name) => scenarioResults.get(name));

  it('an answer received before the deadline counts, and a later one does not, even if the worker comes later', async () => {
    await Promise.allSettled(scenarioResults.values());
    const [answered, late] = await retryWithLongerTimeout(async (timeout) => {
      const question = { timeout };
      const ids = await Promise.all([startParkedConversation({ question }), startParkedConversation({ question })]);
      await p.stopWorker();
      try {
        const replies = await Promise.all(
          ids.map((id) => apiWithoutWorker.call<Conversation>('GET', `/v1/conversations/${id}`)),
        );
        const [answered, unanswered] = replies.map(({ body }) => body) as [Conversation, Conversation];
        expect((await answer(answered.id, 'A')).status).toBe(202);
        return [answered, unanswered];
      } catch (error) {
        await p.startWorker();
        throw error;
      }
    });
    // On a busy machine the two are not asked at the same moment.
    for (const { question } of [answered, late]) await waitUntilPassed(question?.expiresAt);
    // Not timed out, but undecided: an answer was received in time.
    const secondAnswer = await answer(answered.id, 'B');
    expect([secondAnswer.status, secondAnswer.body.code]).toEqual([503, 'outcome_unknown']);
    // An answer received in time may still be on its way; only a worker can tell.
    const lateAnswer = await answer(late.id, 'B', 'question-1');
    expect([lateAnswer.status, lateAnswer.body.code]).toEqual([503, 'outcome_unknown']);
    expect(lateAnswer.body.detail).toMatch(/deadline has passed and the answer was not accepted/);

    await p.startWorker();
    expect((await p.waitForStatus(answered.id, 'completed')).result).toContain('"A"');
    expect((await p.waitForStatus(late.id, 'completed')).result).toContain('timed_out');
    const codes = [];
    for (const { id } of [answered, late]) {
      const reply = await answer(id, 'B', 'question-1');
      codes.push([reply.status, reply.body.code]);
    }
    expect(codes).toEqual([
      [409, 'question_answered'],
      [409, 'question_timed_out'],
    ]);
  });

  it('a repeat after the deadline gets the outcome of the first, from an API that last saw the question open', async () => {
    await Promise.allSettled(scenarioResults.values());
    const { id, expiresAt, send } = await retryWithLongerTimeout(async (timeout) => {
      const id = await p.startConversation('Hello', { question: { timeout } });
      const { expiresAt } = await p.waitForQuestion(id);
      await apiWithoutWorker.call('GET', `/v1/conversations/${id}`);
      const route = `/v1/conversations/${id}/questions/question-1/answer`;
      const send = (call: CallApi) =>
        call<Partial<Problem>>('POST', route, { answer: 'A' }, { 'idempotency-key': `late-${id}` });
      expect((await send(p.call)).status).toBe(200);
      return { id, expiresAt, send };
    });
    await p.waitForStatus(id, 'completed');
    await p.stopWorker();
    await answer(await p.startConversation('Nobody there'), 'A');
    await waitUntilPassed(expiresAt);
    expect((await send(apiWithoutWorker.call)).status).toBe(200);
    await p.startWorker();
  });

  it('one conversation with a stuck worker does not count as no worker', async () => {
    await Promise.allSettled(scenarioResults.values());
    const [stuckId, otherId] = await Promise.all([startParkedConversation(), startParkedConversation()]);
    // Claims to be encrypted with a key that no one has, so the worker's task fails repeatedly.
    await p.client.workflowService.signalWorkflowExecution({
      namespace: p.client.options.namespace,
      workflowExecution: { workflowId: stuckId },
      signalName: 'answerQuestion',
      input: { payloads: [unreadable] },
    });
    const started = async () => {
      const { raw } = await p.client.workflow.getHandle(stuckId).describe();
      return Number(raw.pendingWorkflowTask?.attempt ?? 0) > 1 || raw.pendingWorkflowTask?.startedTime;
    };
    while (!(await started())) await new Promise((resolve) => setTimeout(resolve, 20));
    await retryWithLongerTimeout(async (timeout) => {
      const waitLimits = { ...WAIT_LIMITS_WITHOUT_WORKER, resultMs: Number.parseInt(timeout, 10) * 1_000 };
      const freshApi = await startApiWithWaitLimits(p, { waitLimits });
      expect((await answer(stuckId, 'A', 'latest', freshApi.call)).status).toBe(202);
      const now = Date.now();
      const asOf = await readAsOf(freshApi.call, `/v1/questions?conversation=${otherId}`);
      await freshApi.stop();
      expect(asOf).toBeGreaterThanOrEqual(now);
    });
    expect((await answer(otherId, 'A', 'latest', p.call)).status).toBe(200);
    await p.client.workflow.getHandle(stuckId).terminate();
  });
});

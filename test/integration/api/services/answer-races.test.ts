import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { type ApiResponse, startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

type Reply = ApiResponse<Partial<Problem> & { question?: Question; status?: unknown }>;

const ROUNDS = 20;
const BATCH_SIZE = 10;

/** Races on a real server, ten conversations at a time: there is one outcome, and every reply is true. */
describe('concurrent requests', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      script: (r) => (lastToolResults(r).length > 0 ? replyWithText('done') : replyWithQuestion('Which?', 'A', 'B')),
    });
  });
  afterAll(() => p.stop());

  async function runRounds(
    race: (id: string, round: number, question: Question) => Promise<void>,
    overrides: object = {},
    count = ROUNDS,
  ): Promise<void> {
    const runRound = async (round: number) => {
      const id = await p.startConversation(`round ${round}`, overrides);
      await race(id, round, await p.waitForQuestion(id));
    };
    for (let first = 0; first < count; first += BATCH_SIZE) {
      await Promise.all(Array.from({ length: BATCH_SIZE }, (_, i) => runRound(first + i)));
    }
  }

  /** The question once everything is over. */
  async function readFinalQuestion(id: string): Promise<Question> {
    await p.client.workflow.getHandle(id).result();
    const { body } = await p.call<{ items: Question[] }>('GET', `/v1/conversations/${id}/questions`);
    expect(body.items).toHaveLength(1);
    return body.items[0] as Question;
  }

  function expectConsistent(reply: Reply, expectedStatus: Question['status'], question: Question): void {
    if (reply.status === 200) return expect(question.status).toBe(expectedStatus);
    expect(reply.status).toBe(409);
    expect(reply.body.code).toBe(`question_${question.status}`);
    expect(reply.body.question).toEqual(question);
  }

  /** Retries with the same key if the reply says that the answer is saved or undecided, as every client should. */
  async function resolveQuestion(id: string, action: 'answer' | 'decline', body: object): Promise<Reply> {
    const key = { 'idempotency-key': `${action}-${id}` };
    for (;;) {
      const route = `/v1/conversations/${id}/questions/question-1/${action}`;
      const reply: Reply = await p.call('POST', route, body, key);
      if (reply.status !== 202 && reply.status !== 503) return reply;
    }
  }
  const decline = (id: string) => resolveQuestion(id, 'decline', {});
  const answer = (id: string) => resolveQuestion(id, 'answer', { answer: 'A' });

  it(`have one outcome for an answer against a decline, ${ROUNDS} times`, async () => {
    await runRounds(async (id, round) => {
      const requests = round % 2 ? [answer(id), decline(id)] : [decline(id), answer(id)].reverse();
      const [answered, declined] = (await Promise.all(requests)) as [Reply, Reply];
      const question = await readFinalQuestion(id);
      expectConsistent(answered, 'answered', question);
      expectConsistent(declined, 'declined', question);
      expect([answered.status, declined.status].sort()).toEqual([200, 409]);
    });
  });

  it(`have one outcome for an answer against a cancel, ${ROUNDS} times`, async () => {
    await runRounds(async (id) => {
      const cancelRequest = p.call('POST', `/v1/conversations/${id}/cancel`);
      const [answered, cancelled] = await Promise.all([answer(id), cancelRequest]);
      const question = await readFinalQuestion(id);
      const conversation = await p.getConversation(id);
      expectConsistent(answered, 'answered', question);
      expect(['answered', 'cancelled']).toContain(question.status);
      expect([202, 409]).toContain(cancelled.status);
      expect(conversation.status).toBe(cancelled.status === 202 ? 'cancelled' : 'completed');
      if (answered.status === 409) expect(cancelled.status).toBe(202);
    });
  });

  it(`have one outcome for an answer against the deadline, 20 times`, async () => {
    const outcomes = { answered: 0, timed_out: 0 };
    await runRounds(
      async (id, round, { expiresAt }) => {
        // From 40 ms before the deadline to 40 ms after it: the wait is the race itself.
        const remainingMs = Date.parse(expiresAt ?? '') - Date.now() + ((round % BATCH_SIZE) - BATCH_SIZE / 2) * 8;
        await new Promise((resolve) => setTimeout(resolve, Math.max(remainingMs, 0)));
        const reply = await answer(id);
        const question = await readFinalQuestion(id);
        expectConsistent(reply, 'answered', question);
        outcomes[question.status as keyof typeof outcomes] += 1;
      },
      { question: { timeout: '6s' } },
      20,
    );
    expect(outcomes.answered + outcomes.timed_out).toBe(20);
  });
});

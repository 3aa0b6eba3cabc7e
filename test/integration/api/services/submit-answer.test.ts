import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

type AnswerProblem = Problem & { question?: Question };

/** Asks one question and repeats its result, whatever that is. */
const askOnce = (request: Parameters<typeof lastToolResults>[0]) =>
  lastToolResults(request).length > 0
    ? replyWithText(`heard ${lastToolResults(request)[0]?.text}`)
    : replyWithQuestion('Which colour?', 'Red', 'Blue');

describe('answering over HTTP', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({ script: askOnce });
  });
  afterAll(() => p.stop());

  it('accepts an answer and completes with it', async () => {
    const id = await p.startConversation();
    const question = await p.waitForQuestion(id);
    expect(question).toMatchObject({
      id: 'question-1',
      conversationId: id,
      status: 'pending',
      agent: p.agent,
      origin: [p.agent],
    });
    const { status, body } = await p.answer(id, { answers: { q1: 'Red' }, comment: 'warm' }, question.id);
    expect(status).toBe(200);
    expect(body.question).toMatchObject({
      status: 'answered',
      outcome: { answers: { q1: 'Red' }, comment: 'warm', via: 'http' },
    });
    expect(body.conversation.id).toBe(id);
    const { result } = await p.waitForStatus(id, 'completed');
    expect(result).toBe('heard {"answers":{"Which colour?":"Red"},"comment":"warm"}');
  });

  it('rejects a value that is not an option, reports every error, and keeps the question open', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const { status, body } = await p.answer<AnswerProblem>(id, { answers: { q1: 'Green', q2: 'x' } });
    expect(status).toBe(400);
    expect(body.code).toBe('invalid_answer');
    expect(body.errors).toEqual([
      { path: 'answers.q2', message: expect.any(String), allowed: ['q1'] },
      { path: 'answers.q1', message: expect.stringContaining('Green'), allowed: ['Red', 'Blue'] },
    ]);
    expect((await p.answer(id, { answer: { other: 'Green' } })).status).toBe(200);
    expect((await p.waitForStatus(id, 'completed')).result).toBe(
      'heard {"answers":{"Which colour?":{"other":"Green"}}}',
    );
  });

  it.each([{}, { answers: 'x' }, { answers: null }, { answers: { q1: 'Red' }, answer: 'Red' }, { answer: null }])(
    'says what is allowed for an answer that is %j',
    async (body) => {
      const id = await p.startConversation();
      await p.waitForQuestion(id);
      const reply = await p.answer<AnswerProblem>(id, body);
      expect([reply.status, reply.body.code]).toEqual([400, 'invalid_answer']);
      expect(reply.body.errors?.[0]?.path).toMatch(/^answers/);
    },
  );

  it('rejects a second answer and returns how the question closed', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'Red' });
    const again = await p.answer<AnswerProblem>(id, { answer: 'Blue' }, 'question-1');
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({
      code: 'question_answered',
      question: { status: 'answered', outcome: { answers: { q1: 'Red' } } },
    });
    await p.waitForStatus(id, 'completed');
    const late = await p.answer<AnswerProblem>(id, { answer: 'Blue' });
    expect(late.status).toBe(409);
    expect(late.body.code).toBe('question_answered');
  });

  it('tells the model that the person declined, and continues', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const declined = await p.call<{ question: Question }>('POST', `/v1/conversations/${id}/questions/latest/decline`, {
      reason: 'not mine',
    });
    expect(declined.status).toBe(200);
    expect(declined.body.question).toMatchObject({ status: 'declined', outcome: { comment: 'not mine' } });
    expect((await p.waitForStatus(id, 'completed')).result).toBe('heard The user declined to answer: not mine');
    const late = await p.answer<AnswerProblem>(id, { answer: 'Blue' });
    expect(late.body.code).toBe('question_declined');
  });

  it('lets exactly one of 50 concurrent answers win, and returns its outcome to the others', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const requests = Array.from({ length: 50 }, (_, i) =>
      p.answer<AnswerProblem>(id, { answer: { other: `answer ${i}` } }),
    );
    const replies = await Promise.all(requests);
    const winners = replies.flatMap((reply, i) => (reply.status === 200 ? [i] : []));
    expect(winners).toHaveLength(1);
    const outcome = { answers: { q1: { other: `answer ${winners[0]}` } } };
    for (const { status, body } of replies) {
      expect([200, 409]).toContain(status);
      expect(body.question).toMatchObject({ status: 'answered', outcome });
    }
    expect((await p.waitForStatus(id, 'completed')).result).toContain(`answer ${winners[0]}"`);
  });

  it('has one effect for one Idempotency-Key, and rejects another body under it', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const route = `/v1/conversations/${id}/questions/latest/answer`;
    const key = { 'idempotency-key': 'k1' };
    const first = await p.call<{ question: Question }>('POST', route, { answer: 'Red' }, key);
    const again = await p.call<{ question: Question }>('POST', route, { answer: 'Red' }, key);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body.question).toEqual(first.body.question);
    const other = await p.call<Problem>('POST', route, { answer: 'Blue' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
  });

  it('distinguishes a repeat from another body after many later results', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const route = `/v1/conversations/${id}/questions/question-1/answer`;
    const key = { 'idempotency-key': 'old' };
    expect((await p.call('POST', route, { answer: 'Red' }, key)).status).toBe(200);
    for (let n = 0; n < 17; n += 1) {
      await p.waitForStatus(id, 'completed');
      const headers = { 'idempotency-key': `message-${n}` };
      expect((await p.call('POST', `/v1/conversations/${id}/messages`, { text: `more ${n}` }, headers)).status).toBe(
        202,
      );
      if ((await p.getConversation(id)).status === 'completed') continue;
      await p.waitForQuestion(id);
      await p.answer(id, { answer: 'Blue' });
    }
    await p.waitForStatus(id, 'completed');
    const again = await p.call<{ question: Question }>('POST', route, { answer: 'Red' }, key);
    expect([again.status, again.body.question?.outcome?.answers]).toEqual([200, { q1: 'Red' }]);
    const other = await p.call<Problem>('POST', route, { answer: 'Blue' }, key);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    const before = (await p.call('GET', `/v1/conversations/${id}/timeline`)).body;
    const repeated = await p.call(
      'POST',
      `/v1/conversations/${id}/messages`,
      { text: 'more 0' },
      { 'idempotency-key': 'message-0' },
    );
    expect(repeated.status).toBe(202);
    expect((await p.call('GET', `/v1/conversations/${id}/timeline`)).body).toEqual(before);
  });

  it('says that the question or conversation does not exist', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const unknownQuestion = await p.answer<Problem>(id, { answer: 'Red' }, 'question-7');
    expect([unknownQuestion.status, unknownQuestion.body.code]).toEqual([404, 'question_not_found']);
    const unknownConversation = await p.answer<Problem>('no-such', { answer: 'Red' });
    expect([unknownConversation.status, unknownConversation.body.code]).toEqual([404, 'conversation_not_found']);
  });

  it('rejects an answer over 32 KB', async () => {
    const id = await p.startConversation();
    await p.waitForQuestion(id);
    const { status, body } = await p.answer<Problem>(id, { answer: { other: 'x'.repeat(33_000) } });
    expect([status, body.code]).toEqual([413, 'too_large']);
  });
});

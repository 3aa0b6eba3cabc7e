import type { Conversation } from '../../src/contract/conversation';
import type { Problem } from '../../src/contract/problem';
import { type Parley, parley } from '../helpers/parley';
import { ask, lastToolResults, say } from '../helpers/scripted-model';

/** Nothing of Parley's has to be up while people think, but for the API that they talk to. */
describe('with no worker running', () => {
  let p: Parley;
  beforeAll(async () => {
    p = await parley({
      worker: false,
      script: (r) =>
        lastToolResults(r).length > 0 ? say(`heard ${lastToolResults(r)[0]?.text}`) : ask('Which?', 'A', 'B'),
    });
  });
  afterAll(() => p.stop());

  async function parked(more: object = {}): Promise<string> {
    await p.startWorker();
    const id = await p.start('Hello', more);
    await p.question(id);
    await p.stopWorker();
    return id;
  }

  it('keeps an answer, says so with 202, and acts on it when a worker starts', async () => {
    const id = await parked();
    const { status, body } = await p.answer(id, { answer: 'A' });
    expect(status).toBe(202);
    expect(body.question.status).toBe('pending');
    await p.startWorker();
    expect((await p.until(id, 'completed')).result).toBe('heard {"answers":{"Which?":"A"}}');
    await p.stopWorker();
  });

  it('still shows the question in the inbox and in the conversation, and refuses a bad answer', async () => {
    const id = await parked();
    expect((await p.conversation(id)).question?.id).toBe('question-1');
    const inbox = await p.call<{ items: object[] }>('GET', `/v1/questions?conversation=${id}`);
    expect(inbox.body.items).toHaveLength(1);
    const bad = await p.answer<Problem>(id, { answer: 'C' });
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_answer']);
    const timeline = await p.call<Problem>('GET', `/v1/conversations/${id}/timeline`);
    expect([timeline.status, timeline.body.code]).toEqual([503, 'worker_unavailable']);
    expect(timeline.headers.get('retry-after')).not.toBeNull();
  });

  it('takes the first of two answers kept, and tells the truth afterwards', async () => {
    const id = await parked();
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    expect((await p.answer(id, { answer: 'B' })).status).toBe(202);
    await p.startWorker();
    expect((await p.until(id, 'completed')).result).toContain('"A"');
    await p.stopWorker();
    const late = await p.answer<Problem & { question: object }>(id, { answer: 'B' });
    expect(late.status).toBe(409);
    expect(late.body.question).toMatchObject({ outcome: { answers: { q1: 'A' } } });
  });

  it('counts an answer received before the deadline, though the worker comes after it', async () => {
    const id = await parked({ question: { timeout: '3s' } });
    const { question } = await p.conversation(id);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    while (Date.now() <= Date.parse(question?.expiresAt ?? ''))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const late = await p.answer<Problem>(id, { answer: 'B' });
    expect([late.status, late.body.code]).toEqual([409, 'question_timed_out']);
    await p.startWorker();
    expect((await p.until(id, 'completed')).result).toContain('"A"');
    await p.stopWorker();
  });

  it('keeps a start, a message and a cancel', async () => {
    const id = await p.start('Hello');
    expect((await p.conversation(id)).status).toBe('running');
    const said = await p.call<Conversation>('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    expect(said.status).toBe(202);
    const parkedId = await parked();
    const cancelled = await p.call<Conversation>('POST', `/v1/conversations/${parkedId}/cancel`, {});
    expect(cancelled.status).toBe(202);
    await p.startWorker();
    await p.until(parkedId, 'cancelled');
    await p.question(id);
    const { body } = await p.call<{ items: { text?: string }[] }>('GET', `/v1/conversations/${id}/timeline`);
    expect(body.items.map((entry) => entry.text)).toContain('And this');
    await p.stopWorker();
  });
});

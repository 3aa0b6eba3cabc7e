import type { Conversation } from '../../src/contract/conversation';
import type { Export } from '../../src/contract/export';
import type { Problem } from '../../src/contract/problem';
import { type Parley, parley } from '../helpers/parley';
import { ask, lastToolResults, say } from '../helpers/scripted-model';

const bytes = (text: string) => new TextEncoder().encode(text);
const unreadable = {
  metadata: { encoding: bytes('binary/encrypted'), 'encryption-key-id': bytes('lost') },
  data: new Uint8Array(64),
};

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

  async function passed(expiresAt: string | null | undefined): Promise<void> {
    while (Date.now() <= Date.parse(expiresAt ?? '')) await new Promise((resolve) => setTimeout(resolve, 20));
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
    await passed(question?.expiresAt);
    // It has not timed out, but nobody can tell yet: somebody answered in time.
    const late = await p.answer<Problem>(id, { answer: 'B' });
    expect([late.status, late.body.code]).toEqual([503, 'worker_unavailable']);
    await p.startWorker();
    expect((await p.until(id, 'completed')).result).toContain('"A"');
    await p.stopWorker();
    const told = await p.answer<Problem>(id, { answer: 'B' }, 'question-1');
    expect([told.status, told.body.code]).toEqual([409, 'question_answered']);
  });

  it('takes nothing after the deadline, and says what became of the question when a worker has', async () => {
    const id = await parked({ question: { timeout: '2s' } });
    await passed((await p.conversation(id)).question?.expiresAt);
    // Something that was received in time may be on its way yet: who knows before a worker does?
    const late = await p.answer<Problem>(id, { answer: 'B' }, 'question-1');
    expect([late.status, late.body.code]).toEqual([503, 'worker_unavailable']);
    expect(late.body.detail).toMatch(/too late for this question, so this was not taken/);
    await p.startWorker();
    expect((await p.until(id, 'completed')).result).toContain('timed_out');
    const told = await p.answer<Problem>(id, { answer: 'B' }, 'question-1');
    expect([told.status, told.body.code]).toEqual([409, 'question_timed_out']);
    await p.stopWorker();
  });

  it('tells a repeat after the deadline what became of the first, by an API that saw the question last when it was open', async () => {
    await p.startWorker();
    const id = await p.start('Hello', { question: { timeout: '4s' } });
    const { expiresAt } = await p.question(id);
    const other = await p.anotherApi();
    const route = `/v1/conversations/${id}/questions/question-1/answer`;
    const send = (call: typeof p.call) =>
      call<Partial<Problem>>('POST', route, { answer: 'A' }, { 'idempotency-key': `late-${id}` });
    expect((await send(other.call)).status).toBe(200);
    await p.stopWorker();
    await p.answer(await p.start('Nobody there'), { answer: 'A' });
    await passed(expiresAt);
    expect((await send(p.call)).status).toBe(200);
    await other.stop();
  });

  it('does not say that it keeps an answer, or a cancel, to a conversation that has ended meanwhile', async () => {
    const id = await parked();
    await p.question(id);
    await p.answer(id, { answer: 'A' });
    await p.client.workflow.getHandle(id).terminate();
    const late = await p.answer<Problem>(id, { answer: 'B' }, 'question-1');
    expect([late.status, late.body.code]).toEqual([409, 'question_cancelled']);
    const cancelled = await p.call<Problem>('POST', `/v1/conversations/${id}/cancel`, {});
    expect([cancelled.status, cancelled.body.code]).toEqual([409, 'conversation_finished']);
  });

  it('tells what it can of one that was terminated before a worker took its answer in', async () => {
    const id = await parked();
    await p.question(id);
    expect((await p.answer(id, { answer: 'A' })).status).toBe(202);
    await p.client.workflow.getHandle(id).terminate();
    await p.startWorker();
    const { body } = await p.call<Export>('GET', `/v1/conversations/${id}/export`);
    await p.stopWorker();
    const asked = expect.objectContaining({ id: 'question-1', status: 'cancelled' });
    expect(body).toMatchObject({
      truncated: true,
      questions: [asked],
      conversation: { status: 'cancelled' },
    });
    expect(body.timeline[0]).toMatchObject({ kind: 'message', role: 'user', text: 'Hello' });
    expect(JSON.stringify(body.transcript)).toContain('Hello');
  });

  it('acts on what it kept in the order it came', async () => {
    const id = await p.start('Hello');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'And this' });
    expect((await p.call('POST', `/v1/conversations/${id}/cancel`, {})).status).toBe(202);
    await p.startWorker();
    await p.until(id, 'cancelled');
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

  it('says as of when it holds: what came since is kept, and not acted on yet', async () => {
    const asOf = async (route: string) => {
      const { headers } = await p.call('GET', route);
      return Date.parse(headers.get('x-parley-as-of') ?? '');
    };
    const id = await parked();
    const before = Date.now();
    expect(await asOf(`/v1/conversations/${id}`)).toBeGreaterThanOrEqual(before);
    // It takes an answer or two to find out that nobody is there.
    const late = async () => (await p.answer(id, { answer: 'A' })).status;
    expect([await late(), await late(), await late()]).toEqual([202, 202, 202]);
    const after = Date.now();
    for (const route of [`/v1/conversations/${id}`, `/v1/conversations/${id}/questions/latest`]) {
      const held = await asOf(route);
      expect(held).toBeGreaterThanOrEqual(before);
      expect(held).toBeLessThanOrEqual(after);
    }
    // The last worker that asked for work is some while gone.
    expect(await asOf(`/v1/questions?conversation=${id}`)).toBeLessThan(before);
    const begun = await p.start('Nobody has heard this yet');
    const { body, headers } = await p.call<Conversation>('GET', `/v1/conversations/${begun}`);
    expect(headers.get('x-parley-as-of')).toBe(body.updatedAt);
    await p.startWorker();
    await p.until(id, 'completed');
    expect(await asOf(`/v1/conversations/${id}`)).toBeGreaterThan(after);
    await p.question(begun);
    await p.stopWorker();
  });

  it('is not concluded from one conversation that a worker is stuck with', async () => {
    await p.startWorker();
    const [stuck, other] = [await p.start(), await p.start()];
    for (const id of [stuck, other]) await p.question(id);
    // Encrypted, by its own word, with a key that nobody has: the worker fails at it again and again.
    await p.client.workflowService.signalWorkflowExecution({
      namespace: p.client.options.namespace,
      workflowExecution: { workflowId: stuck },
      signalName: 'answerQuestion',
      input: { payloads: [unreadable] },
    });
    expect((await p.answer(stuck, { answer: 'A' })).status).toBe(202);
    expect((await p.answer(other, { answer: 'A' })).status).toBe(200);
    await p.client.workflow.getHandle(stuck).terminate();
    await p.stopWorker();
  });

  it('is as quick as with one: it waits for nobody once it knows that nobody is there', async () => {
    const script = () => ask('Which?', 'A', 'B');
    const [served, alone] = await Promise.all([parley({ script }), parley({ script })]);
    const rounds = 12;
    const none = () => ({ read: [] as number[], list: [] as number[], answer: [] as number[] });
    const times = { served: none(), alone: none() };
    const timed = async (into: number[], act: () => Promise<unknown>) => {
      const began = performance.now();
      await act();
      into.push(performance.now() - began);
    };
    try {
      const ids = new Map<Parley, string[]>();
      for (const one of [served, alone]) {
        ids.set(one, await Promise.all(Array.from({ length: rounds + 1 }, () => one.start())));
        for (const id of ids.get(one) ?? []) await one.question(id);
      }
      await alone.stopWorker();
      // Who comes first has to find out, and waits for as long as a worker might take.
      const last = ids.get(alone)?.[rounds] ?? '';
      for (let n = 0; n < 3; n += 1) expect((await alone.answer(last, { answer: 'A' })).status).toBe(202);
      const both = [
        [served, times.served, 200],
        [alone, times.alone, 202],
      ] as const;
      // In turns, and one kind after the other: what a worker does with an answer takes its time, too.
      for (const [act, name] of [
        [(one: Parley, id: string) => one.conversation(id), 'read'],
        [(one: Parley) => one.call('GET', `/v1/questions?agent=${one.agent}`), 'list'],
      ] as const) {
        for (let n = 0; n < rounds; n += 1)
          for (const [one, into] of both) await timed(into[name], () => act(one, ids.get(one)?.[n] ?? ''));
      }
      for (let n = 0; n < rounds; n += 1) {
        for (const [one, into, status] of both) {
          const answer = () => one.answer(ids.get(one)?.[n] ?? '', { answer: 'A' });
          await timed(into.answer, async () => expect((await answer()).status).toBe(status));
        }
      }
    } finally {
      await Promise.all([served.stop(), alone.stop()]);
    }
    const median = (all: number[]) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
    const ratios = (['read', 'list', 'answer'] as const).map(
      (what) => [what, median(times.alone[what]) / median(times.served[what])] as const,
    );
    console.log(
      `no worker against one: ${ratios.map(([what, ratio]) => `${what} ${ratio.toFixed(2)}`).join(', ')}`,
    );
    for (const [, ratio] of ratios) expect(ratio).toBeLessThan(1.5);
  });
});

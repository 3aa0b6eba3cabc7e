import type { Problem } from '#contract/problem';
import type { Question } from '#contract/question';
import { ConversationExport } from '#contract/responses';
import { type ApiResponse, startParley, type TestParley } from '#test/support/parley/start-parley';
import { createLatch, lastToolResults, replyWithQuestion, replyWithText } from '#test/support/scripted-model';

describe('the export of a conversation', () => {
  let p: TestParley;
  let modelLatch = createLatch();
  beforeAll(async () => {
    p = await startParley({
      ownWorker: true,
      keys: {
        ann: ['conversations:write', 'conversations:read', 'questions:answer'],
        bob: ['conversations:write', 'conversations:read', 'questions:answer'],
        vic: ['conversations:read'],
        boss: ['admin'],
      },
      script: async (request) => {
        const first = JSON.stringify(request.body.messages[0]);
        if (first.includes('wait')) await modelLatch.hold;
        if (request.body.messages.length >= 5) return replyWithText('The end.');
        return lastToolResults(request).length > 0
          ? replyWithQuestion('And then?')
          : replyWithQuestion('Which?', 'A', 'B');
      },
    });
  });
  afterAll(() => p.stop());

  const getExport = (id: string, name = 'ann'): Promise<ApiResponse<Problem>> =>
    p.callAs(name)<Problem>('GET', `/v1/conversations/${id}/export`);

  /** Validated against the contract, and against the other operations. */
  async function readExport(id: string): Promise<ConversationExport> {
    const { status, body, headers } = await getExport(id);
    expect([status, status === 200 ? '' : body]).toEqual([200, '']);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('content-disposition')).toBe(`attachment; filename=${id}.json`);
    const document = ConversationExport.parse(body);
    const readBody = async (subroute: string) => (await p.call('GET', `/v1/conversations/${id}${subroute}`)).body;
    expect(document.conversation).toEqual(await readBody(''));
    expect({ items: document.timeline }).toEqual(await readBody('/timeline'));
    expect({ items: document.questions }).toEqual(await readBody('/questions'));
    expect(document.agent).toMatchObject({ name: p.agent, prompt: `You are ${p.agent}.` });
    expect(Math.abs(Date.parse(document.exportedAt) - Date.now())).toBeLessThan(60_000);
    return document;
  }

  const roles = ({ transcript }: ConversationExport) => transcript.map(({ role }) => role);
  const statuses = ({ questions }: ConversationExport) => questions.map(({ status }) => status);
  const waitUntilAsked = async (id: string, text: string) => {
    for (;;) {
      const question: Question = await p.waitForQuestion(id);
      if (question.fields[0]?.question === text) return;
    }
  };

  it('that is parked has the question, and what the model has said so far', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    const document = await readExport(id);
    expect(document.conversation.status).toBe('waiting_for_input');
    expect(statuses(document)).toEqual(['pending']);
    expect(roles(document)).toEqual(['user', 'assistant']);
    expect(document.transcript[1]?.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'ask_user_question' });
  });

  it('that is finished has every question with its outcome, and the whole transcript, without a worker', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A', comment: 'gladly' }, 'question-1');
    await waitUntilAsked(id, 'And then?');
    await p.answer(id, { answer: 'Home' }, 'question-2');
    await p.waitForStatus(id, 'completed');
    await p.stopWorker();
    const document = await readExport(id);
    await p.startWorker();
    expect(document.conversation).toMatchObject({ status: 'completed', result: 'The end.' });
    expect(document.questions.map(({ outcome }) => outcome?.answers)).toEqual([{ q1: 'A' }, { q1: 'Home' }]);
    expect(document.questions[0]?.outcome).toMatchObject({ comment: 'gladly', by: 'ann' });
    expect(roles(document)).toEqual(['user', 'assistant', 'user', 'assistant', 'user', 'assistant']);
    expect(document.transcript[0]?.content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(document.transcript.at(-1)?.content.at(-1)).toEqual({ type: 'text', text: 'The end.' });
    expect(document.timeline.at(-1)).toMatchObject({ kind: 'status', status: 'completed' });
  });

  it('works during a model call, and after a cancel', async () => {
    modelLatch = createLatch();
    const id = await p.startConversation('wait for it');
    const running = await readExport(id);
    expect([running.conversation.status, running.questions]).toEqual(['running', []]);
    expect(roles(running)).toEqual(['user']);
    await p.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'enough' });
    modelLatch.release();
    await p.waitForStatus(id, 'cancelled');
    const document = await readExport(id);
    expect(document.conversation.error).toMatchObject({ code: 'cancelled' });
  });

  it('that was cancelled has the question that was open', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.call('POST', `/v1/conversations/${id}/cancel`, { reason: 'enough' });
    await p.waitForStatus(id, 'cancelled');
    expect(statuses(await readExport(id))).toEqual(['cancelled']);
  });

  it('that was terminated in Temporal has its content if a worker can read it', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.client.workflow.getHandle(id).terminate();
    await p.waitForStatus(id, 'cancelled');
    const document = await readExport(id);
    expect(document.conversation).toMatchObject({
      status: 'cancelled',
      error: { code: 'workflow_terminated' },
      question: null,
    });
    expect(statuses(document)).toEqual(['cancelled']);
    expect(roles(document)).toEqual(['user', 'assistant']);
  });

  it('that was resumed has everything, before and after', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.answer(id, { answer: 'A' }, 'question-1');
    await waitUntilAsked(id, 'And then?');
    await p.answer(id, { answer: 'Home' }, 'question-2');
    await p.waitForStatus(id, 'completed');
    await p.call('POST', `/v1/conversations/${id}/messages`, { text: 'One more thing' });
    while ((await p.waitForStatus(id, 'completed')).usage.modelCalls < 4);
    const document = await readExport(id);
    expect(document.transcript.at(-2)?.content).toContainEqual({ type: 'text', text: 'One more thing' });
    expect(statuses(document)).toEqual(['answered', 'answered']);
  });

  it('returns 503 without a worker, unless it is finished', async () => {
    const id = await p.startConversation('Hello');
    await p.waitForQuestion(id);
    await p.stopWorker();
    const { status, body, headers } = await getExport(id);
    expect([status, body.code]).toEqual([503, 'worker_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expect(headers.get('content-disposition')).toBeNull();
    await p.startWorker();
  });

  it('is available to those who may see the conversation, and not found for others', async () => {
    const id = await p.startConversation('Hello', { visibleTo: ['vic'] });
    await p.waitForQuestion(id);
    const replies = await Promise.all(['ann', 'vic', 'boss', 'bob'].map((name) => getExport(id, name)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
    const missing = await getExport('no-such-conversation', 'bob');
    expect(replies[3]?.body.code).toBe('conversation_not_found');
    expect(missing.body.code).toBe('conversation_not_found');
    expect(replies[3]?.headers.get('content-disposition')).toBeNull();
  });
});

import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const TODOS = [
  { content: 'Choose a place', status: 'completed' },
  { content: 'Book it', status: 'pending' },
];

describe('a finished conversation that is resumed', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      keys: { owner: ['admin'], maria: ['questions:answer', 'conversations:read', 'conversations:write'] },
    });
  });
  afterAll(() => p.stop());

  async function startFinishedConversation(): Promise<{ p: TestParley; id: string }> {
    const parley = await startParley({
      replies: [
        replyWithToolCalls({ name: 'write_todos', input: { todos: TODOS } }),
        replyWithQuestion('Where?', 'Seaside', 'City'),
        replyWithQuestion('How many?'),
        replyWithText('Booked for 12 at the seaside.'),
        (request) => {
          expect(lastToolResults(request)).toEqual([]);
          return replyWithQuestion('Which month?', 'May', 'June');
        },
        replyWithText('June it is.'),
      ],
    });
    const id = await parley.startConversation('Plan our offsite');
    await parley.waitForQuestion(id);
    await parley.answer(id, { answer: 'Seaside', comment: 'With a view' });
    await waitUntilAsked(parley, id, 'question-2');
    await parley.call('POST', `/v1/conversations/${id}/questions/latest/decline`, { reason: 'Ask Sam' });
    await parley.waitForStatus(id, 'completed');
    return { p: parley, id };
  }

  const waitUntilAsked = async (parley: TestParley, id: string, question: string) => {
    await parley.waitForQuestion(id, question);
  };

  it('knows what was asked, answered and skipped, and its to-do list', async () => {
    const { p: parley, id } = await startFinishedConversation();
    await parley.call('POST', `/v1/conversations/${id}/messages`, { text: 'And when?' });
    expect((await parley.waitForQuestion(id)).id).toBe('question-3');
    const request = await parley.model.waitForRequest(4);
    const modelMessages = JSON.stringify(request.body.messages);
    for (const text of [
      'Plan our offsite',
      'Choose a place',
      'Where?',
      'Seaside',
      'With a view',
      'How many?',
      'declined',
      'Ask Sam',
      'Booked for 12',
    ])
      expect(modelMessages).toContain(text);
    expect(request.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'And when?' }],
    });
    const conversation = await parley.getConversation(id);
    expect(conversation).toMatchObject({
      status: 'waiting_for_input',
      questionsAsked: 3,
      todos: TODOS,
      result: null,
      error: null,
    });
    await parley.answer(id, { answer: 'June' });
    expect(await parley.waitForStatus(id, 'completed')).toMatchObject({ result: 'June it is.', questionsAsked: 3 });
    parley.model.expectAllRepliesUsed();
    await parley.stop();
  });

  it('is one conversation to people, without a trace of being resumed', async () => {
    const { p: parley, id } = await startFinishedConversation();
    const readTimeline = async () =>
      (await parley.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`)).body.items;
    const before = await readTimeline();
    await parley.call('POST', `/v1/conversations/${id}/messages`, { text: 'And when?' });
    await parley.waitForQuestion(id);
    const after = await readTimeline();
    expect(after.slice(0, before.length)).toEqual(before);
    const addedEntries = after.slice(before.length).map((entry) => {
      if (entry.kind === 'message') return `${entry.role}: ${entry.text}`;
      return entry.kind === 'status' ? `status: ${entry.status}` : entry.kind;
    });
    expect(addedEntries).toEqual(['status: running', 'user: And when?', 'question', 'status: waiting_for_input']);
    const numbers = after.flatMap((entry) => [
      entry.id,
      ...(entry.kind === 'question' && entry.settledId ? [entry.settledId] : []),
    ]);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
    const { body } = await parley.call<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${parley.agent}`);
    expect(body.items.filter((item) => item.id === id)).toHaveLength(1);
    await parley.call('POST', `/v1/conversations/${id}/cancel`);
    await parley.stop();
  });

  it('keeps its access lists, and is found by the same people', async () => {
    const id = await p.startConversation('Hello', { assignees: ['maria'] });
    await p.waitForStatus(id, 'completed');
    const reopened = await p.callAs('maria')('POST', `/v1/conversations/${id}/messages`, { text: 'More' });
    expect(reopened.status).toBe(202);
    await p.waitForStatus(id, 'completed');
    const { body } = await p.callAs('maria')<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${p.agent}`);
    expect(body.items.map((item) => item.id)).toContain(id);
  });
});

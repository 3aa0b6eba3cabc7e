import type { Conversation } from '#contract/conversation';
import type { TimelineEntry } from '#contract/timeline';
import { startParley, type TestParley } from '#test/support/parley/start-parley';
import { lastToolResults, replyWithQuestion, replyWithText, replyWithToolCalls } from '#test/support/scripted-model';

const TODOS = [
  { content: 'Choose a place', status: 'completed' },
  { content: 'Book it', status: 'pending' },
];

describe('a finished conversation that is taken up again', () => {
  let p: TestParley;
  beforeAll(async () => {
    p = await startParley({
      keys: { owner: ['admin'], maria: ['questions:answer', 'conversations:read', 'conversations:write'] },
    });
  });
  afterAll(() => p.stop());

  async function story(): Promise<{ p: TestParley; id: string }> {
    const q = await startParley({
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
    const id = await q.start('Plan our offsite');
    await q.question(id);
    await q.answer(id, { answer: 'Seaside', comment: 'With a view' });
    await untilAsked(q, id, 'question-2');
    await q.call('POST', `/v1/conversations/${id}/questions/latest/decline`, { reason: 'Ask Sam' });
    await q.until(id, 'completed');
    return { p: q, id };
  }

  const untilAsked = async (q: TestParley, id: string, question: string) => {
    await q.question(id, question);
  };

  it('knows what was asked, answered and declined, and its to-dos', async () => {
    const { p: q, id } = await story();
    await q.call('POST', `/v1/conversations/${id}/messages`, { text: 'And when?' });
    expect((await q.question(id)).id).toBe('question-3');
    const request = await q.model.received(4);
    const heard = JSON.stringify(request.body.messages);
    for (const known of [
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
      expect(heard).toContain(known);
    expect(request.body.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: 'And when?' }],
    });
    const open = await q.conversation(id);
    expect(open).toMatchObject({
      status: 'waiting_for_input',
      questionsAsked: 3,
      todos: TODOS,
      result: null,
      error: null,
    });
    await q.answer(id, { answer: 'June' });
    expect(await q.until(id, 'completed')).toMatchObject({ result: 'June it is.', questionsAsked: 3 });
    q.model.expectDone();
    await q.stop();
  });

  it('shows a person one conversation, and nothing of how it was taken up', async () => {
    const { p: q, id } = await story();
    const timeline = async () =>
      (await q.call<{ items: TimelineEntry[] }>('GET', `/v1/conversations/${id}/timeline`)).body.items;
    const before = await timeline();
    await q.call('POST', `/v1/conversations/${id}/messages`, { text: 'And when?' });
    await q.question(id);
    const after = await timeline();
    expect(after.slice(0, before.length)).toEqual(before);
    const added = after.slice(before.length).map((entry) => {
      if (entry.kind === 'message') return `${entry.role}: ${entry.text}`;
      return entry.kind === 'status' ? `status: ${entry.status}` : entry.kind;
    });
    expect(added).toEqual(['status: running', 'user: And when?', 'question', 'status: waiting_for_input']);
    const numbers = after.flatMap((entry) => [
      entry.id,
      ...(entry.kind === 'question' && entry.settledId ? [entry.settledId] : []),
    ]);
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
    const { body } = await q.call<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${q.agent}`);
    expect(body.items.filter((item) => item.id === id)).toHaveLength(1);
    await q.call('POST', `/v1/conversations/${id}/cancel`);
    await q.stop();
  });

  it('belongs to whom it belonged, and is found by them', async () => {
    const id = await p.start('Hello', { assignees: ['maria'] });
    await p.until(id, 'completed');
    const taken = await p.as('maria')('POST', `/v1/conversations/${id}/messages`, { text: 'More' });
    expect(taken.status).toBe(202);
    await p.until(id, 'completed');
    const { body } = await p.as('maria')<{ items: Conversation[] }>('GET', `/v1/conversations?agent=${p.agent}`);
    expect(body.items.map((item) => item.id)).toContain(id);
  });
});

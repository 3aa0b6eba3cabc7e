import { QuestionQueue } from '#cli/watch/question-queue';
import type { Question } from '#contract/question';

const question = (id: string, conversationId = 'c', expiresAt: string | null = null): Question => ({
  id,
  conversationId,
  agent: 'scout',
  origin: ['assistant', 'scout'],
  status: 'pending',
  context: null,
  fields: [],
  askedAt: '2026-01-01T00:00:00.000Z',
  expiresAt,
  onTimeout: 'continue',
  notices: [],
  outcome: null,
});

describe('the queue of questions', () => {
  it('asks each question once, whatever reports it', () => {
    const queue = new QuestionQueue();
    expect([queue.add(question('q')), queue.add(question('q')), queue.add(question('q', 'd'))]).toEqual([
      true,
      false,
      true,
    ]);
    expect(queue.withState('new')).toHaveLength(2);
  });

  it('reports each as closed once, and never asks it again', () => {
    const queue = new QuestionQueue();
    queue.add(question('q'));
    expect([queue.resolve(question('q')), queue.resolve(question('q')), queue.add(question('q'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has the most urgent first, and those left for later apart', () => {
    const queue = new QuestionQueue();
    const [calm, soon, sooner] = [
      question('1'),
      question('2', 'c', '2026-01-03T00:00:00.000Z'),
      question('3', 'c', '2026-01-02T00:00:00.000Z'),
    ];
    for (const waiting of [calm, soon, sooner]) queue.add(waiting);
    expect(queue.withState('new')).toEqual([sooner, soon, calm]);
    queue.setState(sooner, 'later');
    expect([queue.withState('new'), queue.withState('later')]).toEqual([[soon, calm], [sooner]]);
  });
});

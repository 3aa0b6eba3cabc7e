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

describe('the questions that wait', () => {
  it('are each asked once, whoever tells of them', () => {
    const agenda = new QuestionQueue();
    expect([agenda.ask(question('q')), agenda.ask(question('q')), agenda.ask(question('q', 'd'))]).toEqual([
      true,
      false,
      true,
    ]);
    expect(agenda.those('new')).toHaveLength(2);
  });

  it('are told as settled once, and never asked again', () => {
    const agenda = new QuestionQueue();
    agenda.ask(question('q'));
    expect([agenda.settle(question('q')), agenda.settle(question('q')), agenda.ask(question('q'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('come most urgent first, those that were left for later apart', () => {
    const agenda = new QuestionQueue();
    const [calm, soon, sooner] = [
      question('1'),
      question('2', 'c', '2026-01-03T00:00:00.000Z'),
      question('3', 'c', '2026-01-02T00:00:00.000Z'),
    ];
    for (const one of [calm, soon, sooner]) agenda.ask(one);
    expect(agenda.those('new')).toEqual([sooner, soon, calm]);
    agenda.mark(sooner, 'later');
    expect([agenda.those('new'), agenda.those('later')]).toEqual([[soon, calm], [sooner]]);
  });
});

import { create } from 'zustand';
import type { Question } from '#contract/question';
import { keyOf, type QuestionKey } from '#core/question-key';

/**
 * How questions ended, whoever told first: the reply to one's own answer, the inbox, the conversation, or a refusal
 * because somebody else was quicker. A question is settled once, so what is in here is never wrong.
 */
const useSettled = create(() => ({ settled: new Map<QuestionKey, Question>() }));

const KEPT = 500;

export function tellSettled(...questions: Question[]): void {
  const news = questions.filter((question) => question.status !== 'pending');
  if (news.length === 0) return;
  useSettled.setState(({ settled }) => {
    // Of the oldest nobody looks at the card any more.
    const next = new Map([...settled].slice(-KEPT));
    for (const question of news) next.set(keyOf(question), question);
    return { settled: next };
  });
}

/** Another person is at this screen now. */
export function forgetSettled(): void {
  useSettled.setState({ settled: new Map() });
}

/** The question as it stands, where what is at hand may be older. */
export function useLatest(question: Question): Question {
  return useSettled(({ settled }) => settled.get(keyOf(question))) ?? question;
}

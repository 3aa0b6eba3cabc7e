import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import { type QuestionKey, toQuestionKey } from '#presentation/question-list';
import { filterInboxQuestions, type InboxPageFilter, NO_INBOX_FILTER } from './inbox-filter';

/** A pointer that moved so recently is about to press something. */
const POINTER_REST_MS = 1_200;

/** The list as it is shown: it changes as questions come and go, but never under a pointer that is aiming. */
export function useVisibleQuestions(
  waiting: Question[] | undefined,
  filter: InboxPageFilter,
  at: QuestionKey | undefined,
  list: RefObject<HTMLElement | null>,
): Question[] {
  const [shown, setShown] = useState<Question[]>(waiting ?? []);
  const aimedAt = useRef(0);

  useEffect(() => {
    const element = list.current;
    const aim = (event: PointerEvent) => {
      if (event.pointerType === 'mouse') aimedAt.current = Date.now();
    };
    const leave = () => {
      aimedAt.current = 0;
    };
    element?.addEventListener('pointermove', aim);
    element?.addEventListener('pointerleave', leave);
    return () => {
      element?.removeEventListener('pointermove', aim);
      element?.removeEventListener('pointerleave', leave);
    };
  }, [list]);

  useEffect(() => {
    if (!waiting) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      const restMs = aimedAt.current + POINTER_REST_MS - Date.now();
      if (restMs > 0) timer = setTimeout(settle, restMs);
      else setShown((last) => computeVisibleQuestions(last, waiting, at, filter));
    };
    settle();
    return () => clearTimeout(timer);
  }, [waiting, filter, at]);

  return shown;
}

/**
 * What the list shows next: what waits, and the question one is at although it is settled, where it was. So nothing
 * goes from under one's hands. What does not fit the filter goes, settled or not.
 */
export function computeVisibleQuestions(
  shown: readonly Question[],
  waiting: readonly Question[],
  at: QuestionKey | undefined,
  filter: InboxPageFilter = NO_INBOX_FILTER,
): Question[] {
  const place = shown.findIndex((question) => toQuestionKey(question) === at);
  const kept = shown[place];
  const isWaiting = waiting.some((question) => toQuestionKey(question) === at);
  if (!kept || isWaiting || filterInboxQuestions([kept], filter).length === 0) return [...waiting];
  const still = new Set(waiting.map(toQuestionKey));
  const follower = shown.slice(place + 1).find((question) => still.has(toQuestionKey(question)));
  const index = follower
    ? waiting.findIndex((question) => toQuestionKey(question) === toQuestionKey(follower))
    : waiting.length;
  return [...waiting.slice(0, index), kept, ...waiting.slice(index)];
}

/** Where one goes when this one is done: the next that waits, else the last before it. */
export function findNeighbourQuestion(shown: readonly Question[], at: QuestionKey): Question | undefined {
  const place = shown.findIndex((question) => toQuestionKey(question) === at);
  return shown[place + 1] ?? shown[place - 1];
}

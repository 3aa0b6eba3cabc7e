import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import { type QuestionKey, toQuestionKey } from '#presentation/question-list';
import { filterInboxQuestions, type InboxPageFilter, NO_INBOX_FILTER } from './inbox-filter';

/** A pointer that moved within this time may be about to click. */
const POINTER_REST_MS = 1_200;

/** The visible list. It follows the inbox, but does not change under a moving pointer. */
export function useVisibleQuestions(
  pending: Question[] | undefined,
  filter: InboxPageFilter,
  selectedKey: QuestionKey | undefined,
  listRef: RefObject<HTMLElement | null>,
): Question[] {
  const [visible, setVisible] = useState<Question[]>(pending ?? []);
  const lastPointerMoveMs = useRef(0);

  useEffect(() => {
    const element = listRef.current;
    const onPointerMove = (event: PointerEvent) => {
      if (event.pointerType === 'mouse') lastPointerMoveMs.current = Date.now();
    };
    const onPointerLeave = () => {
      lastPointerMoveMs.current = 0;
    };
    element?.addEventListener('pointermove', onPointerMove);
    element?.addEventListener('pointerleave', onPointerLeave);
    return () => {
      element?.removeEventListener('pointermove', onPointerMove);
      element?.removeEventListener('pointerleave', onPointerLeave);
    };
  }, [listRef]);

  useEffect(() => {
    if (!pending) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      const remainingMs = lastPointerMoveMs.current + POINTER_REST_MS - Date.now();
      if (remainingMs > 0) timer = setTimeout(update, remainingMs);
      else setVisible((previous) => computeVisibleQuestions(previous, pending, selectedKey, filter));
    };
    update();
    return () => clearTimeout(timer);
  }, [pending, filter, selectedKey]);

  return visible;
}

/**
 * The next visible list: the pending questions, and the selected one at its old position even if it is resolved, so
 * that it does not disappear while in use. A question that does not match the filter is dropped in any case.
 */
export function computeVisibleQuestions(
  previous: readonly Question[],
  pending: readonly Question[],
  selectedKey: QuestionKey | undefined,
  filter: InboxPageFilter = NO_INBOX_FILTER,
): Question[] {
  const index = previous.findIndex((question) => toQuestionKey(question) === selectedKey);
  const selected = previous[index];
  const isPending = pending.some((question) => toQuestionKey(question) === selectedKey);
  if (!selected || isPending || filterInboxQuestions([selected], filter).length === 0) return [...pending];
  const pendingKeys = new Set(pending.map(toQuestionKey));
  const nextQuestion = previous.slice(index + 1).find((question) => pendingKeys.has(toQuestionKey(question)));
  const insertAt = nextQuestion
    ? pending.findIndex((question) => toQuestionKey(question) === toQuestionKey(nextQuestion))
    : pending.length;
  return [...pending.slice(0, insertAt), selected, ...pending.slice(insertAt)];
}

/** The question to select after this one: the next one, else the one before. */
export function findNeighbourQuestion(visible: readonly Question[], selectedKey: QuestionKey): Question | undefined {
  const index = visible.findIndex((question) => toQuestionKey(question) === selectedKey);
  return visible[index + 1] ?? visible[index - 1];
}

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import type { QuestionKey } from '#core/question-key';
import { type Filter, nextShown } from './shown';

/** A pointer that moved so recently is about to press something. */
const AIMING_MS = 1_200;

/** The list as it is shown: it changes as questions come and go, but never under a pointer that is aiming. */
export function useShown(
  waiting: Question[] | undefined,
  filter: Filter,
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
      const restMs = aimedAt.current + AIMING_MS - Date.now();
      if (restMs > 0) timer = setTimeout(settle, restMs);
      else setShown((last) => nextShown(last, waiting, at, filter));
    };
    settle();
    return () => clearTimeout(timer);
  }, [waiting, filter, at]);

  return shown;
}

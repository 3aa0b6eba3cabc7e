import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Question } from '#contract/question';
import type { Story } from './story';

/** So close to the end one means to be at it. */
const NEAR = 80;
const GAP = 16;

/** Whoever is at the end stays there as more comes; whoever reads further up is left alone. */
export function useFollowing(
  scroller: RefObject<HTMLElement | null>,
  story: Story | undefined,
  subQuestions: readonly Question[],
) {
  const isAtEnd = useRef(true);
  const [isBehind, setBehind] = useState(false);
  const hasStory = story !== undefined;

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const card = openCard(element);
    element.scrollTop = element.scrollHeight;
    // Where what is asked is longer than the window, its beginning is where one begins to read.
    const above = card ? card.getBoundingClientRect().top - element.getBoundingClientRect().top : 0;
    if (above < 0) element.scrollTop += above - GAP;
  }, [scroller]);

  useEffect(() => {
    const element = scroller.current;
    if (!element || !hasStory) return;
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
      setBehind(!isAtEnd.current && !isInSight(openCard(element), element));
    };
    element.addEventListener('scroll', look, { passive: true });
    return () => element.removeEventListener('scroll', look);
  }, [scroller, hasStory]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more to see
  useLayoutEffect(() => {
    if (isAtEnd.current) toEnd();
  }, [story?.entries, story?.writing, subQuestions, toEnd]);

  return { isBehind, toEnd };
}

/** What somebody is asked is what they came for: it need not be the end. */
function openCard(scroller: HTMLElement): Element | null {
  return scroller.querySelector('[data-question][data-status="pending"]');
}

function isInSight(card: Element | null, scroller: HTMLElement): boolean {
  if (!card) return false;
  const { top, bottom } = card.getBoundingClientRect();
  const window = scroller.getBoundingClientRect();
  return top < window.bottom && bottom > window.top;
}

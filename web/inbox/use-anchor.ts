import type { Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import type { Question } from '../../src/contract/question';
import { keyOf } from '../live/questions';

interface Anchor {
  key: string;
  /** How far its top is below that of the window, in pixels. */
  offset: number;
}

/** Rows that come or go above what is in sight move nothing that is in sight. */
export function useAnchor(
  virtual: Virtualizer<HTMLDivElement, Element>,
  questions: readonly Question[],
): void {
  const anchor = useRef<Anchor | undefined>(undefined);
  useLayoutEffect(() => {
    const scroller = virtual.scrollElement;
    const index = questions.findIndex((question) => keyOf(question) === anchor.current?.key);
    // At the top one wants to see what is new there.
    if (!scroller || scroller.scrollTop === 0 || index < 0 || !anchor.current) return;
    const start = virtual.measurementsCache[index]?.start ?? 0;
    virtual.scrollToOffset(start - anchor.current.offset);
  }, [virtual, questions]);
  useLayoutEffect(() => {
    const top = virtual.scrollOffset ?? 0;
    const first = virtual.getVirtualItems().find(({ end }) => end > top);
    anchor.current = first && { key: String(first.key), offset: first.start - top };
  });
}

import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';
import type { Question } from '../../src/contract/question';

/**
 * Rows that come or go above what is in sight move nothing that is in sight. By where the rows were and how far the list
 * is scrolled this moment: what the virtualizer knows of the latter is a frame old, and changes come quicker than that.
 */
export function useAnchor(
  virtual: Virtualizer<HTMLDivElement, Element>,
  questions: readonly Question[],
): void {
  const before = useRef<readonly VirtualItem[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever other rows are shown
  useLayoutEffect(() => {
    const top = virtual.scrollElement?.scrollTop ?? 0;
    // At the top one wants to see what is new there.
    if (top === 0) return;
    const starts = new Map(virtual.measurementsCache.map(({ key, start }) => [key, start]));
    const anchor = before.current.find(({ key, end }) => end > top && starts.has(key));
    const start = anchor && starts.get(anchor.key);
    if (start !== undefined && start !== anchor?.start)
      virtual.scrollToOffset(start - (anchor?.start ?? 0) + top);
  }, [virtual, questions]);
  const measured = useRef<readonly VirtualItem[]>(undefined);
  useLayoutEffect(() => {
    const { measurementsCache } = virtual;
    if (measured.current === measurementsCache) return;
    measured.current = measurementsCache;
    // A copy: each item is made when it is first read, and from numbers that the next list overwrites.
    before.current = [...measurementsCache];
  });
}

import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef } from 'react';

const never = () => false;

/**
 * Rows that come, go or turn out higher above what is in sight move nothing that is in sight. By how far the list is
 * scrolled this moment: what the virtualizer knows of that is a frame old, and changes come quicker.
 */
export function useAnchor(virtual: Virtualizer<HTMLDivElement, Element>): void {
  const measured = useRef<readonly VirtualItem[]>(undefined);
  const before = useRef<readonly VirtualItem[]>([]);
  virtual.shouldAdjustScrollPositionOnItemSizeChange = never;
  useLayoutEffect(() => {
    const { measurementsCache, scrollElement } = virtual;
    if (measured.current === measurementsCache) return;
    measured.current = measurementsCache;
    const known = before.current;
    // A copy: each item is made when it is first read, and from numbers that the next list overwrites.
    before.current = [...measurementsCache];
    const top = scrollElement?.scrollTop ?? 0;
    // At the top one wants to see what is new there.
    if (!scrollElement || top === 0) return;
    const starts = new Map(before.current.map(({ key, start }) => [key, start]));
    const anchor = known.find(({ key, end }) => end > top && starts.has(key));
    if (anchor) scrollElement.scrollTop = top + (starts.get(anchor.key) ?? 0) - anchor.start;
  });
}

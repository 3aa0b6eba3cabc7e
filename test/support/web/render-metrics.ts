import type { Page } from 'playwright-core';

interface PaintMetrics {
  firstRow: number;
  longest: number;
  shift: number;
}

declare global {
  interface Window {
    seen: PaintMetrics;
  }
}

/** Before anything of the page runs: when the first row is there, the longest task, and how much moved by itself. */
export async function recordPaintMetrics(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.seen = { firstRow: 0, longest: 0, shift: 0 };
    const { seen } = window;
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('li[data-index]')) return;
      seen.firstRow = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration);
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.shift += (entry as PerformanceEntry & { value: number }).value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

export interface RenderMetrics extends PaintMetrics {
  firstPaint: number;
  rows: number;
  nodes: number;
  heap: number;
}

export async function readRenderMetrics(page: Page): Promise<RenderMetrics> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  await session.send('Performance.enable');
  const { metrics } = await session.send('Performance.getMetrics');
  const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
  const rest = await page.evaluate(() => ({
    ...window.seen,
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    rows: document.querySelectorAll('li[data-index]').length,
    nodes: document.querySelectorAll('*').length,
  }));
  return { ...rest, heap };
}

export interface ScrollMetrics {
  /** From frame to frame, in milliseconds. */
  frames: number[];
  mostRows: number;
  headlines: string[];
}

/** Down the whole list, so many pixels a frame, with an eye on each frame. */
export function scrollInboxToEnd(page: Page, step: number): Promise<ScrollMetrics> {
  return page.evaluate(async (by) => {
    const list = document.querySelector('ul[aria-label="Questions that wait"]')?.parentElement as HTMLElement;
    const frames: number[] = [];
    const headlines = new Set<string>();
    let mostRows = 0;
    let last = await new Promise<number>(requestAnimationFrame);
    const isAtEnd = () => list.scrollTop + list.clientHeight >= list.scrollHeight - 1;
    for (let ended = 0; ended < 5; ended += isAtEnd() ? 1 : 0) {
      list.scrollTop += by;
      const now = await new Promise<number>(requestAnimationFrame);
      frames.push(now - last);
      last = now;
      const rows = list.querySelectorAll('li[data-index]');
      mostRows = Math.max(mostRows, rows.length);
      for (const row of rows) headlines.add(/Question \d+\?/.exec(row.textContent ?? '')?.[0] ?? '');
    }
    return { frames, mostRows, headlines: [...headlines] };
  }, step);
}

export function computeMedian(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

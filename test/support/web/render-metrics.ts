import type { Page } from 'playwright-core';

interface PaintMetrics {
  firstRow: number;
  longestTask: number;
  layoutShift: number;
}

declare global {
  interface Window {
    paintMetrics: PaintMetrics;
  }
}

/** Records, from before the page's scripts run: when the first row appears, the longest task, and layout shifts. */
export async function recordPaintMetrics(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.paintMetrics = { firstRow: 0, longestTask: 0, layoutShift: 0 };
    const { paintMetrics } = window;
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('li[data-index]')) return;
      paintMetrics.firstRow = performance.now();
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        paintMetrics.longestTask = Math.max(paintMetrics.longestTask, duration);
    }).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries())
        paintMetrics.layoutShift += (entry as PerformanceEntry & { value: number }).value;
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
    ...window.paintMetrics,
    firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    rows: document.querySelectorAll('li[data-index]').length,
    nodes: document.querySelectorAll('*').length,
  }));
  return { ...rest, heap };
}

export interface ScrollMetrics {
  /** Times between frames, in milliseconds. */
  frames: number[];
  mostRows: number;
  headlines: string[];
}

/** Scrolls to the end of the list, `step` pixels per frame, and measures each frame. */
export function scrollInboxToEnd(page: Page, step: number): Promise<ScrollMetrics> {
  return page.evaluate(async (by) => {
    const list = document.querySelector('ul[aria-label="Open questions"]')?.parentElement as HTMLElement;
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

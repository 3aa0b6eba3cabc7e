import { useSyncExternalStore } from 'react';

/** One timer for all times on the screen. */
const TICK_MS = 5_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function tick(): void {
  now = Date.now() - clockSkewMs;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, TICK_MS);
    now = Date.now() - clockSkewMs;
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** A smaller difference comes from network latency and from the header's rounding to seconds. */
const MIN_SKEW_MS = 10_000;
let clockSkewMs = 0;

/** Follows the server's clock if this computer's clock is wrong, because deadlines are server times. */
export function syncServerClock(date: string | null): void {
  const skewMs = date === null ? Number.NaN : Date.now() - Date.parse(date);
  if (Number.isNaN(skewMs)) return;
  const newSkewMs = Math.abs(skewMs) < MIN_SKEW_MS ? 0 : skewMs;
  if (Math.abs(newSkewMs - clockSkewMs) < MIN_SKEW_MS) return;
  clockSkewMs = newSkewMs;
  tick();
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

import { useSyncExternalStore } from 'react';

/** One tick for everything on the screen that tells a time. */
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

/** Below that it is the time the reply took, and the second it was rounded to. */
const MIN_SKEW_MS = 10_000;
let clockSkewMs = 0;

/** Deadlines are the server's: where this computer's clock is wrong, its own is gone by. */
export function syncServerClock(date: string | null): void {
  const ms = date === null ? Number.NaN : Date.now() - Date.parse(date);
  if (Number.isNaN(ms)) return;
  const next = Math.abs(ms) < MIN_SKEW_MS ? 0 : ms;
  if (Math.abs(next - clockSkewMs) < MIN_SKEW_MS) return;
  clockSkewMs = next;
  tick();
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

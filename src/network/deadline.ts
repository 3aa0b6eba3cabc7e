import { setMaxListeners } from 'node:events';
import { Refusal } from './refusal';

/** Ends a request when the caller gives it up, when Parley stops, or when its time is up. */
export interface Deadline {
  signal: AbortSignal;
  clear(): void;
}

export function startDeadline(ms: number, givenUp: AbortSignal[]): Deadline {
  const ending = new AbortController();
  // Every connection of a chain of redirects listens.
  setMaxListeners(0, ending.signal);
  const giveUp = () => ending.abort(new Refusal('The request was given up.'));
  const timer = setTimeout(
    () => ending.abort(new Refusal(`No full answer came within ${ms / 1_000} s.`)),
    ms,
  );
  for (const signal of givenUp) {
    signal.addEventListener('abort', giveUp);
    if (signal.aborted) giveUp();
  }
  return {
    signal: ending.signal,
    clear() {
      clearTimeout(timer);
      for (const signal of givenUp) signal.removeEventListener('abort', giveUp);
    },
  };
}

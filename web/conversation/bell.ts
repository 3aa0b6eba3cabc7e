import { pause } from '#client/waiting';

/** Wakes whoever waits, before their time is over. */
export interface Bell {
  ring(): void;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(): Bell {
  let ringing = new AbortController();
  return {
    ring() {
      ringing.abort();
      ringing = new AbortController();
    },
    wait: (ms, signal) => pause(ms, AbortSignal.any([signal, ringing.signal])),
  };
}

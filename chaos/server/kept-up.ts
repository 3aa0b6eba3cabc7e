import { setTimeout as pause } from 'node:timers/promises';
import type { Part, TemporalServer } from './server';

/** Parts that a fault has taken down, and will bring back itself. */
const away = new Set<Part>();

/** Kill these parts, and bring them back in order after a while: what others stand on first. */
export async function bounce(parts: Part[], wait: () => Promise<unknown>): Promise<void> {
  for (const part of parts) away.add(part);
  try {
    for (const part of parts) if (part.isUp()) process.kill(part.pid(), 'SIGKILL');
    await wait();
    while (parts.some((part) => part.isUp())) await pause(20);
    for (const part of [...parts].sort(byFoundation)) await part.start();
  } finally {
    for (const part of parts) away.delete(part);
  }
}

const byFoundation = (a: Part, b: Part) => Number(b.name === 'postgres') - Number(a.name === 'postgres');

const LOOK_MS = 500;

/** Whoever runs a server starts it again where it ends by itself, as when its database went away under it. */
export function keepUp({ parts }: TemporalServer, onEnded: (name: string) => void): { stop(): void } {
  const starting = new Set<Part>();
  const look = () => {
    for (const part of parts.filter((one) => !one.isUp() && !away.has(one) && !starting.has(one))) {
      starting.add(part);
      onEnded(part.name);
      // It is tried again at the next look.
      part
        .start()
        .catch(() => undefined)
        .finally(() => starting.delete(part));
    }
  };
  const timer = setInterval(look, LOOK_MS);
  return { stop: () => clearInterval(timer) };
}

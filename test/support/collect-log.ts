import { Writable } from 'node:stream';
import pino from 'pino';
import type { Log } from '#infra/log';

export interface CollectedLog {
  log: Log;
  /** Everything that was written, unparsed. */
  text(): string;
  lines(): Record<string, unknown>[];
  /** Resolves with the first line that matches. */
  waitForLine(matches: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
}

/** Creates a log in memory, at the finest level. */
export function collectLog(): CollectedLog {
  const written: string[] = [];
  const waiters: (() => void)[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      for (const wake of waiters.splice(0)) wake();
      done();
    },
  });
  const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    log: pino({ level: 'trace', base: undefined }, stream),
    text: () => written.join(''),
    lines,
    async waitForLine(matches) {
      for (;;) {
        const found = lines().find(matches);
        if (found) return found;
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
    },
  };
}

import { Writable } from 'node:stream';
import pino from 'pino';
import type { Log } from '#infra/log';

export interface CollectedLog {
  log: Log;
  /** Everything that was written, as it was. */
  text(): string;
  lines(): Record<string, unknown>[];
  /** The first line that matches, as soon as it is written. */
  until(matches: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
}

/** A log that is kept in memory, down to the finest level. */
export function collectLog(): CollectedLog {
  const kept: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      kept.push(String(chunk));
      for (const wake of waiting.splice(0)) wake();
      done();
    },
  });
  const lines = () => kept.map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    log: pino({ level: 'trace', base: undefined }, stream),
    text: () => kept.join(''),
    lines,
    async until(matches) {
      for (;;) {
        const found = lines().find(matches);
        if (found) return found;
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
    },
  };
}

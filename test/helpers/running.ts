import { spawn } from 'node:child_process';
import { CLIENT } from './client';
import type { Piped } from './piped';

/** `parley` on pipes, while it runs. */
export interface Running {
  /** Waits until it has said that, on either. */
  until(wanted: string): Promise<void>;
  /** Its input stays open. */
  write(text: string): void;
  kill(signal: NodeJS.Signals): void;
  ended: Promise<Piped>;
}

/** Nothing comes on stdin but what is written, and it stays open. */
export function running(words: string[], env: Record<string, string>): Running {
  const child = spawn(process.execPath, [CLIENT, ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  const said = { out: '', err: '' };
  const waiting: { wanted: string; resolve: () => void }[] = [];
  const hear = (stream: 'out' | 'err') => (chunk: Buffer) => {
    said[stream] += chunk;
    for (const { wanted, resolve } of waiting) if (said[stream].includes(wanted)) resolve();
  };
  child.stdout.on('data', hear('out'));
  child.stderr.on('data', hear('err'));
  // It may have left before it was written to.
  child.stdin.on('error', () => undefined);
  const ended = new Promise<Piped>((resolve) => {
    child.once('close', (code) => resolve({ code: code ?? -1, ...said }));
  });
  return {
    until: (wanted) =>
      new Promise((resolve, reject) => {
        if (said.out.includes(wanted) || said.err.includes(wanted)) return resolve();
        waiting.push({ wanted, resolve });
        void ended.then(({ out, err }) => reject(new Error(`${wanted} was never said:\n${out}\n${err}`)));
      }),
    write: (text) => void child.stdin.write(text),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

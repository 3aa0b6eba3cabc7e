import { spawn } from 'node:child_process';
import { CLIENT } from './client';

const LONGEST_MS = 30_000;

export interface Piped {
  code: number;
  out: string;
  err: string;
}

/** Runs `parley` with these words where there is no terminal, and this on stdin. */
export function piped(words: string[], env: Record<string, string>, input = ''): Promise<Piped> {
  const child = spawn(process.execPath, [CLIENT, ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  // Whoever does not read its input may be gone before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`parley ${words.join(' ')} did not end. It said:\n${out}\n${err}`));
    }, LONGEST_MS);
    child.once('close', (code) => {
      clearTimeout(overdue);
      resolve({ code: code ?? 1, out, err });
    });
  });
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const TOOLCHAIN = path.join(__dirname, '../../dist/toolchain.json');

/** A program that the set-up found for the tests. */
export function programFor(name: 'chromium' | 'tmux', otherwise: string): string {
  const known: Record<string, string | undefined> = existsSync(TOOLCHAIN)
    ? JSON.parse(readFileSync(TOOLCHAIN, 'utf8'))
    : {};
  const file = known[name];
  if (file && existsSync(file)) return file;
  throw new Error(otherwise);
}

import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from './config';

/** The secret that everything hangs on that Parley signs or names; made once and kept where none is set. */
export function keptSecret(given: string | undefined, folder: string): string {
  if (given) return given;
  const file = path.join(folder, 'secret');
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw new ConfigError(
        `PARLEY_DATA cannot be used: ${message}. Or set PARLEY_SECRET, and nothing is written there.`,
      );
  }
  return readFileSync(file, 'utf8').trim();
}

import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#infra/config';

const MIN_SECRET_LENGTH = 16;

/** The secret that everything hangs on that Parley signs or names; made once and kept where none is set. */
export function loadOrCreateSecret(given: string | undefined, folder: string): string {
  if (given) return given;
  const file = path.join(folder, 'secret');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    createSecretFile(file);
    const kept = readFileSync(file, 'utf8').trim();
    if (kept.length >= MIN_SECRET_LENGTH) return kept;
  } catch (error) {
    throw new ConfigError(
      `PARLEY_DATA cannot be used: ${(error as Error).message}. Or set PARLEY_SECRET, and nothing is written there.`,
    );
  }
  throw new ConfigError(`The secret in ${file} is too short to be one. Delete the file, or set PARLEY_SECRET.`);
}

/** Whole or not at all: the API and a worker may start at once, and neither must read what the other has not written yet. */
function createSecretFile(file: string): void {
  const own = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(own, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(own, file);
  } catch (error) {
    // Not every disk has links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !existsSync(file)) renameSync(own, file);
  } finally {
    rmSync(own, { force: true });
  }
}

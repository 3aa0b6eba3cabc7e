import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ConfigError } from '#infra/config';

const MIN_SECRET_LENGTH = 16;

/** Returns the secret behind signatures and derived ids. Creates it in the data folder if none is configured. */
export function loadOrCreateSecret(configuredSecret: string | undefined, folder: string): string {
  if (configuredSecret) return configuredSecret;
  const file = path.join(folder, 'secret');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    createSecretFile(file);
    const storedSecret = readFileSync(file, 'utf8').trim();
    if (storedSecret.length >= MIN_SECRET_LENGTH) return storedSecret;
  } catch (error) {
    throw new ConfigError(
      `Can't use PARLEY_DATA: ${(error as Error).message}. If you set PARLEY_SECRET, nothing is written there.`,
    );
  }
  throw new ConfigError(`The secret in ${file} is too short. Delete the file, or set PARLEY_SECRET.`);
}

/** Creates the file atomically, as the API and a worker may start at the same time. */
function createSecretFile(file: string): void {
  const tempFile = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(tempFile, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600 });
  try {
    linkSync(tempFile, file);
  } catch (error) {
    // Not every file system supports hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' && !existsSync(file)) renameSync(tempFile, file);
  } finally {
    rmSync(tempFile, { force: true });
  }
}

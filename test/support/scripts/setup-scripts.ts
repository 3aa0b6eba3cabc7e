import { cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PROJECT = path.join(__dirname, '../../..');

/**
 * Creates a folder with the setup scripts and an empty folder for PATH, so that they only find programs of the test.
 */
export function copySetupScripts(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'parley-setup-')));
  cpSync(path.join(PROJECT, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  mkdirSync(path.join(folder, 'path'));
  return folder;
}

export function writeFakeProgram(folder: string, file: string, text: string): string {
  const full = path.join(folder, file);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text, { mode: 0o755 });
  return full;
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The clone, or where the image has it: the same folder whether we run from src/, as tests do, or from dist/src/. */
export function projectFolder(from: string = __dirname): string {
  const parent = path.dirname(from);
  return from === parent || existsSync(path.join(from, 'package.json')) ? from : projectFolder(parent);
}

export function projectVersion(): string {
  return JSON.parse(readFileSync(path.join(projectFolder(), 'package.json'), 'utf8')).version;
}

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Returns the folder of package.json, whether the code runs from src/, as tests do, or from dist/src/. */
export function findPackageRoot(folder: string = __dirname): string {
  const parent = path.dirname(folder);
  return folder === parent || existsSync(path.join(folder, 'package.json')) ? folder : findPackageRoot(parent);
}

export function readPackageVersion(): string {
  return JSON.parse(readFileSync(path.join(findPackageRoot(), 'package.json'), 'utf8')).version;
}

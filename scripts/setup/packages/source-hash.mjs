/** Lists and hashes the sources of a build, to detect changes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../paths.mjs';

/** Lists all files below a folder of the project, as paths relative to the project. */
export function listFilesBelow(folder) {
  return readdirSync(path.join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PROJECT, path.join(entry.parentPath ?? entry.path, entry.name)));
}

/** Hashes the names and contents of files. */
export function hashFiles(files) {
  const sum = createHash('sha256');
  for (const file of files)
    sum
      .update(`${file}\0`)
      .update(readFileSync(path.join(PROJECT, file)))
      .update('\0');
  return sum.digest('hex');
}

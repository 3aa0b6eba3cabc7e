/** What a build is made from, and whether it has changed. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT } from '../paths.mjs';

/** Every file below a folder of the project, as paths from the project's own. */
export function listFilesBelow(folder) {
  return readdirSync(path.join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(PROJECT, path.join(entry.parentPath ?? entry.path, entry.name)));
}

/** Of their names and of what is in them. */
export function hashFiles(files) {
  const sum = createHash('sha256');
  for (const file of files)
    sum
      .update(`${file}\0`)
      .update(readFileSync(path.join(PROJECT, file)))
      .update('\0');
  return sum.digest('hex');
}

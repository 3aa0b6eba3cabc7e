import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CONVERSATIONS } from './names';

/** What was begun lately is not looked at: it may be kept before Temporal can tell of it. */
const YOUNG_MS = 24 * 3_600_000;
/** For each start: the rest is looked at on the next one. */
const LOOKED_AT = 5_000;

/** Remove what is kept of conversations that are no more. Gone is only what is said to be; how many were removed. */
export async function sweepFolder(root: string, isGone: (id: string) => Promise<boolean>): Promise<number> {
  const folder = path.join(root, CONVERSATIONS);
  let removed = 0;
  for (const id of await oldest(folder)) {
    if (!(await isGone(id))) continue;
    await rm(path.join(folder, id), { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function oldest(folder: string): Promise<string[]> {
  const ids = await readdir(folder).catch(() => []);
  const looked = await Promise.all(
    ids.map(async (id) => {
      const seen = await stat(path.join(folder, id)).catch(() => undefined);
      return seen?.isDirectory() ? [{ id, at: seen.mtimeMs }] : [];
    }),
  );
  return looked
    .flat()
    .filter(({ at }) => Date.now() - at > YOUNG_MS)
    .sort((a, b) => a.at - b.at)
    .slice(0, LOOKED_AT)
    .map(({ id }) => id);
}

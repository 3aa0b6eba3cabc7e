import { randomBytes } from 'node:crypto';
import { access, link, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Ending, EXIT, misuse } from './exit';

/** Before anything is fetched for it. */
export async function checkFree(file: string): Promise<void> {
  const isTaken = await access(file).then(
    () => true,
    () => false,
  );
  if (isTaken) throw taken(file);
}

/** All of it or nothing: beside its place first, then there in one step, which fails where somebody has made the file meanwhile. */
export async function writeWhole(file: string, text: string, isForced: boolean): Promise<void> {
  const part = path.join(
    path.dirname(file),
    `.${path.basename(file)}.${randomBytes(4).toString('hex')}.part`,
  );
  try {
    await writeFile(part, text, { flag: 'wx' });
    await (isForced ? rename(part, file) : link(part, file));
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw taken(file);
    throw new Ending(EXIT.failed, `${file} cannot be written: ${REASONS[code] ?? message}.`, 'not_written');
  } finally {
    await rm(part, { force: true });
  }
}

const REASONS: Record<string, string> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'its folder is not there',
  EISDIR: 'it is a folder',
  EACCES: 'you may not write there',
  EROFS: 'nothing can be written there',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'its name is too long',
};

function taken(file: string): Ending {
  return misuse(`There is a file ${file} already. Take another name, or write over it with --force.`);
}

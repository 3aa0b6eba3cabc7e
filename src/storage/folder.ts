import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { checkedName } from './names';
import { StorageError, type Store } from './store';

/** Objects as files. Only whole ones are ever seen: each is written aside, brought to the disk, and renamed. */
export function folderStore(root: string): Store {
  const fileOf = (name: string) => path.join(root, ...checkedName(name).split('/'));
  return {
    async put(name, bytes) {
      const file = fileOf(name);
      try {
        await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
        await write(file, bytes);
      } catch (error) {
        throw trouble(root, 'written to', error);
      }
    },
    async get(name) {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw trouble(root, 'read', error);
      }
    },
    close: () => undefined,
  };
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  const aside = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const handle = await open(aside, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

function trouble(root: string, what: string, error: unknown): Error {
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  return new StorageError(
    `The storage in the folder ${root} cannot be ${what}: ${message}. Check that the folder is there, has room, and is this user's.`,
  );
}

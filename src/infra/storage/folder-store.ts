import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkObjectKey, type ObjectStore, PROBE_KEY, StorageError } from './object-store';

/** Objects as files. Only whole ones are ever seen: each is written aside, brought to the disk, and renamed. */
export function createFolderStore(root: string, setBy: string): ObjectStore {
  const fileOf = (name: string) => path.join(root, ...checkObjectKey(name).split('/'));
  const trouble = (what: string, error: unknown) => toFolderError(`${root} (${setBy})`, what, error);
  const store: ObjectStore = {
    async put(name, bytes) {
      const file = fileOf(name);
      try {
        await createFolder(path.dirname(file));
        await writeAtomically(file, bytes);
      } catch (error) {
        throw trouble('written to', error);
      }
    },
    async get(name) {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw trouble('read', error);
      }
    },
    async tryOut(how) {
      if (how === 'read') return void (await store.get(PROBE_KEY));
      // Several may try at once.
      const name = `${PROBE_KEY}-${randomBytes(6).toString('hex')}`;
      await store.put(name, new Uint8Array());
      await rm(fileOf(name), { force: true });
    },
    close: () => undefined,
  };
  return store;
}

/** Not by Node's own recursion: where a parent is there and takes no folder, as in /proc, that never ends. */
async function createFolder(folder: string): Promise<void> {
  const make = () => mkdir(folder, { mode: 0o700 }).catch(ignoreIfFolderExists(folder));
  try {
    await make();
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await createFolder(parent);
    await make();
  }
}

function ignoreIfFolderExists(folder: string) {
  return async (error: unknown) => {
    const seen = await stat(folder).catch(() => undefined);
    if (!seen?.isDirectory()) throw error;
  };
}

async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
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

function toFolderError(folder: string, what: string, error: unknown): Error {
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  return new StorageError(
    `The folder ${folder} cannot be ${what}: ${message}. Check that the folder is there, has room, and is this user's.`,
  );
}

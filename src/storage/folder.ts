import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkedName, TRIAL } from './names';
import { StorageError, type Store } from './store';

/** Objects as files. Only whole ones are ever seen: each is written aside, brought to the disk, and renamed. */
export function folderStore(root: string, setBy: string): Store {
  const fileOf = (name: string) => path.join(root, ...checkedName(name).split('/'));
  const trouble = (what: string, error: unknown) => unusable(`${root} (${setBy})`, what, error);
  const store: Store = {
    async put(name, bytes) {
      const file = fileOf(name);
      try {
        await makeFolder(path.dirname(file));
        await write(file, bytes);
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
      if (how === 'read') return void (await store.get(TRIAL));
      // Several may try at once.
      const name = `${TRIAL}-${randomBytes(6).toString('hex')}`;
      await store.put(name, new Uint8Array());
      await rm(fileOf(name), { force: true });
    },
    close: () => undefined,
  };
  return store;
}

/** Not by Node's own recursion: where a parent is there and takes no folder, as in /proc, that never ends. */
async function makeFolder(folder: string): Promise<void> {
  const make = () => mkdir(folder, { mode: 0o700 }).catch(unlessThere(folder));
  try {
    await make();
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await make();
  }
}

function unlessThere(folder: string) {
  return async (error: unknown) => {
    const seen = await stat(folder).catch(() => undefined);
    if (!seen?.isDirectory()) throw error;
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

function unusable(folder: string, what: string, error: unknown): Error {
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  return new StorageError(
    `The folder ${folder} cannot be ${what}: ${message}. Check that the folder is there, has room, and is this user's.`,
  );
}

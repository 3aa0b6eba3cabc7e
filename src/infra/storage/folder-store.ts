import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkObjectKey, type ObjectStore, PROBE_KEY, StorageError } from './object-store';

/** Stores objects as files. Writes, syncs and renames, so that readers never see a partial object. */
export function createFolderStore(root: string, variable: string): ObjectStore {
  const fileOf = (name: string) => path.join(root, ...checkObjectKey(name).split('/'));
  const storageError = (action: string, error: unknown) => toFolderError(`${root} (${variable})`, action, error);
  const store: ObjectStore = {
    async put(name, bytes) {
      const file = fileOf(name);
      try {
        await createFolder(path.dirname(file));
        await writeAtomically(file, bytes);
      } catch (error) {
        throw storageError('written to', error);
      }
    },
    async get(name) {
      try {
        return await readFile(fileOf(name));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw storageError('read', error);
      }
    },
    async probe(access) {
      if (access === 'read') return void (await store.get(PROBE_KEY));
      // A unique name, as several processes may probe at once.
      const name = `${PROBE_KEY}-${randomBytes(6).toString('hex')}`;
      await store.put(name, new Uint8Array());
      await rm(fileOf(name), { force: true });
    },
    close: () => undefined,
  };
  return store;
}

/** Avoids Node's `recursive` option: under a parent that allows no folders, such as /proc, it never returns. */
async function createFolder(folder: string): Promise<void> {
  const makeFolder = () => mkdir(folder, { mode: 0o700 }).catch(ignoreIfFolderExists(folder));
  try {
    await makeFolder();
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    await createFolder(parent);
    await makeFolder();
  }
}

function ignoreIfFolderExists(folder: string) {
  return async (error: unknown) => {
    const stats = await stat(folder).catch(() => undefined);
    if (!stats?.isDirectory()) throw error;
  };
}

async function writeAtomically(file: string, bytes: Uint8Array): Promise<void> {
  const tempFile = `${file}.${randomBytes(6).toString('hex')}.part`;
  try {
    const handle = await open(tempFile, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(tempFile, file);
    await syncFolder(path.dirname(file));
  } catch (error) {
    await rm(tempFile, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Without this a power cut may undo the rename. Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function toFolderError(folder: string, action: string, error: unknown): Error {
  if (error instanceof TypeError) return error;
  const { message } = error as Error;
  return new StorageError(
    `The folder ${folder} cannot be ${action}: ${message}. Check that it exists, has free space, and belongs to this user.`,
  );
}

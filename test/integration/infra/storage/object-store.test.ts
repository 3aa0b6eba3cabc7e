import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { logStorageFailure } from '#archive/conversation-archive';
import { deleteOrphanedFolders } from '#archive/delete-orphans';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { type ObjectStore, StorageError } from '#infra/storage/object-store';
import { openExports, openStorage, resolveDefaultStorage, withOperationTimeout } from '#infra/storage/open-storage';
import type { StorageLocation } from '#infra/storage/storage-location';
import { collectLog } from '#test/support/collect-log';
import { type FakeS3, startFakeS3 } from '#test/support/fake-servers/s3';

const key = (id: string) => ({ id, bytes: randomBytes(32) });
const bytes = (text: string) => Buffer.from(text);
const text = (stored: Uint8Array | undefined) => stored && Buffer.from(stored).toString();

let folder: string;
let s3: FakeS3;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'parley-store-'));
  s3 = await startFakeS3();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await s3.stop();
});

const settings = (extraEnvironment: Record<string, string> = {}) => ({
  s3Endpoint: s3.url,
  environment: { ...s3.environment, ...extraEnvironment },
});
const bucketAt = (prefix = '', bucket = s3.bucket): StorageLocation => ({ kind: 'bucket', bucket, prefix });

describe.each(['a folder', 'a bucket'])('%s', (kind) => {
  const location = (): StorageLocation =>
    kind === 'a folder' ? { kind: 'folder', path: folder } : bucketAt('some/prefix');
  const openStore = (keys?: EncryptionKeyRing): ObjectStore => openStorage(location(), settings(), keys) as ObjectStore;
  /** The stored bytes. */
  const storedBytes = (name: string): Buffer =>
    kind === 'a folder' ? readFileSync(path.join(folder, name)) : (s3.objects.get(`some/prefix/${name}`) as Buffer);

  it('returns what was stored, and the newest version of it', async () => {
    const store = openStore();
    expect(await store.get('conversations/c-1/results/r-1')).toBeUndefined();
    for (const content of ['first', 'second', '', 'é'.repeat(100_000)]) {
      await store.put('conversations/c-1/results/r-1', bytes(content));
      expect(text(await store.get('conversations/c-1/results/r-1'))).toBe(content);
    }
    expect(storedBytes('conversations/c-1/results/r-1').length).toBeLessThan(2_000);
  });

  it('contains no plain text if keys are set, and reads data of older keys and unencrypted data', async () => {
    const [firstKey, secondKey] = [key('one'), key('two')];
    await openStore().put('a/clear', bytes('in clear'));
    await openStore([firstKey]).put('a/sealed', bytes('a planted secret '.repeat(100)));
    await openExports(location(), settings()).put('a/plain.json', bytes('a planted secret'));
    expect(storedBytes('a/plain.json').toString()).toContain('planted');
    expect(storedBytes('a/sealed').toString('latin1')).not.toContain('planted');
    const rotatedStore = openStore([secondKey, firstKey]);
    expect(text(await rotatedStore.get('a/sealed'))).toContain('planted');
    expect(text(await rotatedStore.get('a/clear'))).toBe('in clear');
    await expect(openStore([secondKey]).get('a/sealed')).rejects.toThrow(/"one" is missing.*nothing is lost/s);
  });

  it('is tested at the start, and left unchanged except for one empty object', async () => {
    for (const store of [openStore(), openStore([key('one')]), openExports(location(), settings())]) {
      await store.probe('read');
      await store.probe('write');
      await store.probe('read');
    }
    expect(readdirSync(folder).filter((name) => name.startsWith('parley-trial'))).toEqual([]);
    expect(s3.objects.get('some/prefix/parley-trial')?.length ?? 0).toBe(0);
  });

  it.each(['../out', 'a/../../out', '/etc/passwd', 'a//b', 'a/./b', '..', 'a\\..\\b', 'a/\0', '', 'a/'])(
    'accepts no name that leads elsewhere: %j',
    async (name) => {
      await expect(openStore().put(name, bytes('x'))).rejects.toThrow('Invalid object name');
      await expect(openStore().get(name)).rejects.toThrow('Invalid object name');
    },
  );
});

describe('a folder', () => {
  it('leaves no partial files behind', async () => {
    const store = openExports({ kind: 'folder', path: path.join(folder, 'whole') }, settings());
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.put('a/b', bytes(`${n}`.repeat(50_000)))));
    expect(readdirSync(path.join(folder, 'whole/a'))).toEqual(['b']);
    const stored = text(await store.get('a/b')) ?? '';
    expect(new Set(stored.match(/../g)).size).toBeLessThanOrEqual(1);
  });

  it('that is not a folder is reported, with what to check', async () => {
    writeFileSync(path.join(folder, 'file'), '');
    const store = openExports({ kind: 'folder', path: path.join(folder, 'file') }, settings());
    await expect(store.put('a/b', bytes('x'))).rejects.toThrow(/cannot be written to: .*Check that it exists/s);
    await expect(store.get('a/b')).rejects.toThrow(/cannot be read/);
  });

  it.each(['/proc/nope', '/proc/nope/deep/down', '/dev/null/x'])(
    'that cannot be created is reported at once, with its variable: %s',
    async (invalidPath) => {
      const location: StorageLocation = { kind: 'folder', path: invalidPath };
      const storage = openStorage(location, settings(), undefined) as ObjectStore;
      await expect(storage.probe('write')).rejects.toThrow(/\(PARLEY_STORAGE\) cannot be written to/);
      await expect(openExports(location, settings()).put('a/b', bytes('x'))).rejects.toThrow(/PARLEY_EXPORTS/);
    },
  );

  it('that hangs is given up', async () => {
    const never = () => new Promise<never>(() => undefined);
    const store = withOperationTimeout({ put: never, get: never, probe: never, close: never }, 'PARLEY_STORAGE', 20);
    for (const operation of [store.put('a', bytes('x')), store.get('a'), store.probe('write')]) {
      await expect(operation).rejects.toThrow(StorageError);
      await expect(operation).rejects.toThrow(/PARLEY_STORAGE.*Check that it is running/);
    }
  });

  it('that fails causes a warning, and one that works does not', async () => {
    const { log, lines } = collectLog();
    const { signal } = new AbortController();
    const unusableStore = openExports({ kind: 'folder', path: '/dev/null/x' }, settings());
    const probes = [unusableStore.probe('write'), openExports(bucketAt(), settings()).probe('write')];
    for (const probe of probes) logStorageFailure(log, 'PARLEY_EXPORTS', probe, signal);
    logStorageFailure(log, 'PARLEY_EXPORTS', unusableStore.probe('write'), AbortSignal.abort());
    await Promise.allSettled(probes);
    await unusableStore.probe('write').catch(() => undefined);
    expect(lines().map(({ level, msg }) => [level, msg])).toEqual([
      [40, expect.stringMatching(/^Can.t use PARLEY_EXPORTS: .*Check that it exists.*not exported/s)],
    ]);
  });

  it('loses the data of conversations that no longer exist, unless it is recent', async () => {
    const root = path.join(folder, 'swept');
    for (const id of ['gone', 'there', 'young']) {
      mkdirSync(path.join(root, 'conversations', id, 'results'), { recursive: true });
      if (id !== 'young') utimesSync(path.join(root, 'conversations', id), 1, 1);
    }
    expect(await deleteOrphanedFolders(root, async (id) => id !== 'there')).toBe(1);
    expect(readdirSync(path.join(root, 'conversations'))).toEqual(['there', 'young']);
    expect(await deleteOrphanedFolders(path.join(folder, 'no-such'), async () => true)).toBe(0);
  });
});

describe('the storage of `npm start`', () => {
  const defaultPath = (storage?: StorageLocation) =>
    resolveDefaultStorage({ dataFolder: '/data', storage, temporal: { namespace: 'default' } })?.path;

  it('is a folder for the namespace if none is configured', () => {
    expect(defaultPath()).toBe('/data/storage/default');
  });

  it.each(['/data/storage-shared', '/data/storage/other', '/data/storage', '/data/storage/default'])(
    'is not cleaned up if %s is configured',
    (configuredPath) => expect(defaultPath({ kind: 'folder', path: configuredPath })).toBeUndefined(),
  );
});

describe('a bucket', () => {
  it.each<[string, () => [StorageLocation, Record<string, string>], RegExp]>([
    ['that does not exist', () => [bucketAt('', 'another-one'), {}], /another-one.*NoSuchBucket.*Create the bucket/s],
    [
      'with a wrong secret',
      () => [bucketAt(), { AWS_SECRET_ACCESS_KEY: 'no' }],
      /SignatureDoesNotMatch.*Check AWS_ACCESS/s,
    ],
    ['with a wrong key', () => [bucketAt(), { AWS_ACCESS_KEY_ID: 'no' }], /InvalidAccessKeyId.*Check AWS_ACCESS/s],
  ])('%s is reported, with what to do', async (_case, createCase, expectedMessage) => {
    const [location, extraEnvironment] = createCase();
    const store = openExports(location, settings(extraEnvironment));
    await expect(store.put('a/b', bytes('x'))).rejects.toThrow(expectedMessage);
    await expect(store.get('a/b')).rejects.toThrow(expectedMessage);
  });

  it('that does not exist is reported with its variable', async () => {
    const location = bucketAt('', 'another-one');
    const storage = openStorage(location, settings(), undefined) as ObjectStore;
    await expect(storage.get('a/b')).rejects.toThrow(/its name in PARLEY_STORAGE\./);
    await expect(openExports(location, settings()).get('a/b')).rejects.toThrow(/name in PARLEY_EXPORTS\./);
  });

  it('of versitygw, which has another error code for a wrong key, is reported with what to check', async () => {
    s3.deny(true, { status: 404, code: 'XAdminUserNotFound' });
    const expectedMessage = /XAdminUserNotFound.*Check AWS_ACCESS_KEY_ID/s;
    await expect(openExports(bucketAt(), settings()).get('a/b')).rejects.toThrow(expectedMessage);
    await expect(openExports(bucketAt(), settings()).put('a/b', bytes('x'))).rejects.toThrow(expectedMessage);
    s3.deny(false);
  });

  it('that denies access is reported with the required permissions', async () => {
    s3.deny(true);
    const store = openExports(bucketAt(), settings());
    await expect(store.get('a/b')).rejects.toThrow(/AccessDenied.*s3:GetObject, s3:PutObject and s3:ListBucket/s);
    s3.deny(false);
  });

  it('that is down is reported', async () => {
    const store = openExports(bucketAt(), { ...settings(), s3Endpoint: 'http://127.0.0.1:1' });
    await expect(store.put('a/b', bytes('x'))).rejects.toThrow(/ECONNREFUSED.*Check that it is running/s);
  });
});

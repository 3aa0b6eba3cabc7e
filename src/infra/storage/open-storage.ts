import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip, type ZlibOptions } from 'node:zlib';
import type { Config } from '#infra/config';
import { decryptEnvelope, encryptEnvelope } from '#infra/crypto/aes-gcm';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { withTimeout } from '#infra/with-timeout';
import { createFolderStore } from './folder-store';
import { type ObjectStore, StorageError } from './object-store';
import { createS3Store, type S3Settings } from './s3-store';
import type { StorageLocation } from './storage-location';

type StorageSettings = Pick<Config, 's3Endpoint' | 'environment'>;

/** Opens Parley's own storage, which is compressed and, if there are keys, encrypted. */
export function openStorage(
  location: StorageLocation | undefined,
  settings: StorageSettings,
  keys: EncryptionKeyRing | undefined,
) {
  return location && withCompressionAndEncryption(openLocation(location, settings, 'PARLEY_STORAGE'), keys);
}

/** Opens the storage for exports, which are stored as plain files for people and other programs. */
export function openExports(location: StorageLocation, settings: StorageSettings): ObjectStore {
  return openLocation(location, settings, 'PARLEY_EXPORTS');
}

function openLocation(
  location: StorageLocation,
  { s3Endpoint, environment }: StorageSettings,
  variable: S3Settings['variable'],
): ObjectStore {
  const store =
    location.kind === 'folder'
      ? createFolderStore(location.path, variable)
      : createS3Store(location, { endpoint: s3Endpoint, variable, environment });
  return withOperationTimeout(store, variable);
}

/**
 * Returns the default storage of `npm start`: a folder, which is enough on one machine. Each namespace has its own, as
 * ids are unique only within a namespace. Returns `undefined` if a storage is configured: others may use that one too.
 */
export function resolveDefaultStorage({
  dataFolder,
  storage,
  temporal,
}: Pick<Config, 'dataFolder' | 'storage'> & { temporal: { namespace: string } }) {
  if (storage) return undefined;
  return { kind: 'folder' as const, path: path.join(dataFolder, 'storage', temporal.namespace) };
}

const gzipAsync = promisify<Uint8Array, Buffer>(gzip);
/** Guards against decompression bombs in a storage that others can write to. Parley's objects are far smaller. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const gunzipAsync = promisify<Uint8Array, ZlibOptions, Buffer>(gunzip);

/** Compresses objects and, if there are keys, encrypts them. */
export function withCompressionAndEncryption(store: ObjectStore, keys: EncryptionKeyRing | undefined): ObjectStore {
  return {
    async put(name, bytes) {
      const compressed = await gzipAsync(bytes);
      await store.put(name, keys ? encryptEnvelope(compressed, keys) : compressed);
    },
    async get(name) {
      const stored = await store.get(name);
      return stored && gunzipAsync(decryptEnvelope(stored, keys), { maxOutputLength: MAX_UNPACKED_BYTES });
    },
    probe: (access) => store.probe(access),
    close: () => store.close(),
  };
}

/** Longer than the S3 client's own timeout, whose error says more. */
const OPERATION_TIMEOUT_MS = 35_000;

/** Limits the duration of each operation, as a network file system may hang forever. */
export function withOperationTimeout(
  store: ObjectStore,
  variable: string,
  timeoutMs = OPERATION_TIMEOUT_MS,
): ObjectStore {
  const limited = <T>(operation: Promise<T>) =>
    withTimeout<T>(operation, timeoutMs, () => {
      throw new StorageError(
        `The storage in ${variable} did not respond within ${Math.round(timeoutMs / 1_000)} seconds. Check that it is running or, if it is a folder, mounted.`,
      );
    });
  return {
    put: (name, bytes) => limited(store.put(name, bytes)),
    get: (name) => limited(store.get(name)),
    probe: (access) => limited(store.probe(access)),
    close: () => store.close(),
  };
}

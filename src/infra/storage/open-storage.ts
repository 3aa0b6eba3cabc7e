import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { decryptEnvelope, encryptEnvelope } from '#infra/crypto/aes-gcm';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { createFolderStore } from './folder-store';
import { type ObjectStore, StorageError } from './object-store';
import { createS3Store, type S3Settings } from './s3-store';
import type { StorageLocation } from './storage-location';

/** Settings from the environment. */
interface StorageSettings {
  s3Endpoint: S3Settings['endpoint'];
  environment: S3Settings['environment'];
}

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

interface DefaultStorageSettings {
  dataFolder: string;
  storage: StorageLocation | undefined;
  temporal: { namespace: string };
}

/**
 * Returns the default storage of `npm start`: a folder, which is enough on one machine. Each namespace has its own, as
 * ids are unique only within a namespace. Returns `undefined` if a storage is configured: others may use that one too.
 */
export function resolveDefaultStorage({ dataFolder, storage, temporal }: DefaultStorageSettings) {
  if (storage) return undefined;
  return { kind: 'folder' as const, path: path.join(dataFolder, 'storage', temporal.namespace) };
}

const gzipAsync = promisify<Uint8Array, Buffer>(gzip);
/**
 * Guards against a decompression bomb, which anyone with write access to the storage could place. Parley's own objects
 * are far smaller.
 */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const gunzipLimited = (bytes: Uint8Array) =>
  promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)(bytes, {
    maxOutputLength: MAX_UNPACKED_BYTES,
  });

/** Compresses objects and, if there are keys, encrypts them. */
export function withCompressionAndEncryption(store: ObjectStore, keys: EncryptionKeyRing | undefined): ObjectStore {
  return {
    async put(name, bytes) {
      const compressed = await gzipAsync(bytes);
      await store.put(name, keys ? encryptEnvelope(compressed, keys) : compressed);
    },
    async get(name) {
      const stored = await store.get(name);
      return stored && gunzipLimited(decryptEnvelope(stored, keys));
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
  const withTimeout = <T>(operation: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(createTimeoutError(variable, timeoutMs)), timeoutMs).unref();
    });
    return Promise.race([operation, timeout]).finally(() => clearTimeout(timer));
  };
  return {
    put: (name, bytes) => withTimeout(store.put(name, bytes)),
    get: (name) => withTimeout(store.get(name)),
    probe: (access) => withTimeout(store.probe(access)),
    close: () => store.close(),
  };
}

function createTimeoutError(variable: string, timeoutMs: number): StorageError {
  const seconds = Math.round(timeoutMs / 1_000);
  return new StorageError(
    `The storage in ${variable} did not respond within ${seconds} seconds. Check that it is running or, if it is a folder, mounted.`,
  );
}

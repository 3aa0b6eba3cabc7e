import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { decryptEnvelope, encryptEnvelope } from '#infra/crypto/encryption';
import type { EncryptionKeyRing } from '#infra/crypto/encryption-keys';
import { createFolderStore } from './folder-store';
import { type ObjectStore, StorageError } from './object-store';
import { createS3Store, type S3Settings } from './s3-store';
import type { StorageLocation } from './storage-location';

/** Where, as the environment says. */
interface StorageSettings {
  s3Endpoint: S3Settings['endpoint'];
  environment: S3Settings['environment'];
}

/** Parley's own storage: only Parley reads it. */
export function openStorage(
  place: StorageLocation | undefined,
  settings: StorageSettings,
  keys: EncryptionKeyRing | undefined,
) {
  return place && withCompressionAndEncryption(openLocation(place, settings, 'PARLEY_STORAGE'), keys);
}

/** For people and other programs: as it is. */
export function openExports(place: StorageLocation, settings: StorageSettings): ObjectStore {
  return openLocation(place, settings, 'PARLEY_EXPORTS');
}

function openLocation(
  place: StorageLocation,
  { s3Endpoint, environment }: StorageSettings,
  setBy: S3Settings['setBy'],
): ObjectStore {
  const store =
    place.kind === 'folder'
      ? createFolderStore(place.path, setBy)
      : createS3Store(place, { endpoint: s3Endpoint, setBy, environment });
  return withOperationTimeout(store, setBy);
}

interface DefaultStorageSettings {
  data: string;
  storage: StorageLocation | undefined;
  temporal: { namespace: string };
}

/**
 * The storage of `npm start` where none is set: on one machine a folder will do. For each namespace its own, as ids are
 * unique only within one. A storage that is set may be others' too, wherever it is.
 */
export function resolveDefaultStorage({ data, storage, temporal }: DefaultStorageSettings) {
  if (storage) return undefined;
  return { kind: 'folder' as const, path: path.join(data, 'storage', temporal.namespace) };
}

const gzipAsync = promisify<Uint8Array, Buffer>(gzip);
/** Whoever can write there could put a few bytes that unfold to gigabytes; nothing of ours comes near this. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;
const gunzipLimited = (bytes: Uint8Array) =>
  promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)(bytes, {
    maxOutputLength: MAX_UNPACKED_BYTES,
  });

/** Compressed, and then encrypted where there are keys. */
export function withCompressionAndEncryption(store: ObjectStore, keys: EncryptionKeyRing | undefined): ObjectStore {
  return {
    async put(name, bytes) {
      const small = await gzipAsync(bytes);
      await store.put(name, keys ? encryptEnvelope(small, keys) : small);
    },
    async get(name) {
      const kept = await store.get(name);
      return kept && gunzipLimited(decryptEnvelope(kept, keys));
    },
    tryOut: (how) => store.tryOut(how),
    close: () => store.close(),
  };
}

/** The client of a bucket gives up before that by itself, and says more. */
const OPERATION_TIMEOUT_MS = 35_000;

/** A disk of the network may leave one waiting for good: no operation takes longer than this. */
export function withOperationTimeout(store: ObjectStore, setBy: string, limitMs = OPERATION_TIMEOUT_MS): ObjectStore {
  const within = <T>(work: Promise<T>): Promise<T> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(createTimeoutError(setBy, limitMs)), limitMs).unref();
    });
    return Promise.race([work, late]).finally(() => clearTimeout(timer));
  };
  return {
    put: (name, bytes) => within(store.put(name, bytes)),
    get: (name) => within(store.get(name)),
    tryOut: (how) => within(store.tryOut(how)),
    close: () => store.close(),
  };
}

function createTimeoutError(setBy: string, limitMs: number): StorageError {
  const seconds = Math.round(limitMs / 1_000);
  return new StorageError(
    `What ${setBy} names did not answer within ${seconds} seconds. Check that it is up, and mounted where it is a folder.`,
  );
}

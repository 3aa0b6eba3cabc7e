import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Keys } from '#contract/encryption';
import { opened, sealed } from '#sealing/seal';
import type { Store } from './store';

const pack = promisify<Uint8Array, Buffer>(gzip);
/** Whoever can write there could put a few bytes that unfold to gigabytes; nothing of ours comes near this. */
const UNPACKED_BYTES = 64 * 1024 * 1024;
const unpack = (bytes: Uint8Array) =>
  promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip)(bytes, {
    maxOutputLength: UNPACKED_BYTES,
  });

/** Compressed, and then encrypted where there are keys. */
export function packed(store: Store, keys: Keys | undefined): Store {
  return {
    async put(name, bytes) {
      const small = await pack(bytes);
      await store.put(name, keys ? sealed(small, keys) : small);
    },
    async get(name) {
      const kept = await store.get(name);
      return kept && unpack(opened(kept, keys));
    },
    tryOut: (how) => store.tryOut(how),
    close: () => store.close(),
  };
}

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { Keys } from '../contract/encryption';
import { opened, sealed } from '../sealing/seal';
import type { Store } from './store';

const pack = promisify<Uint8Array, Buffer>(gzip);
const unpack = promisify<Uint8Array, Buffer>(gunzip);

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

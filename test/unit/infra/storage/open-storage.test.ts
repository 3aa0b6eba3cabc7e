import { gzipSync } from 'node:zlib';
import type { ObjectStore } from '#infra/storage/object-store';
import { withCompressionAndEncryption } from '#infra/storage/open-storage';

it('does not decompress an object made to exhaust the memory', async () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  const store = { get: async () => bomb } as unknown as ObjectStore;
  await expect(withCompressionAndEncryption(store, undefined).get('conversations/c-1/results/r-1')).rejects.toThrow(
    /larger than \d+ bytes/,
  );
});

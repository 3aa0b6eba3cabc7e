import { gzipSync } from 'node:zlib';
import { packed } from '#storage/packed';
import type { Store } from '#storage/store';

it('does not unfold what somebody put there to fill the memory with', async () => {
  const bomb = gzipSync(Buffer.alloc(65 * 1024 * 1024));
  expect(bomb.length).toBeLessThan(100_000);
  const store = { get: async () => bomb } as unknown as Store;
  await expect(packed(store, undefined).get('conversations/c-1/results/r-1')).rejects.toThrow(
    /larger than \d+ bytes/,
  );
});

import path from 'node:path';
import type { Place } from '#contract/place';

interface Settings {
  data: string;
  storage: Place | undefined;
  temporal: { namespace: string };
}

/**
 * The storage of `npm start` where none is set: on one machine a folder will do. For each namespace its own, as ids are
 * unique only within one. A storage that is set may be others' too, wherever it is.
 */
export function ownFolder({ data, storage, temporal }: Settings) {
  if (storage) return undefined;
  return { kind: 'folder' as const, path: path.join(data, 'storage', temporal.namespace) };
}

/** Keeps whole objects by name, outside of Temporal. To keep one again under its name is no fault. */
export interface ObjectStore {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Nothing where there is none of that name. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Rejects if the storage cannot be used. Writes a small object, or only looks for it. */
  probe(access: 'read' | 'write'): Promise<void>;
  close(): void;
}

/** A storage that is down, full or denies, in a sentence that says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    message: string,
    /** It was reached, and says no: no waiting mends that. */
    readonly isDenied = false,
  ) {
    super(message);
  }
}

/** Parts that mean the same to a file system and to a bucket, with slashes between; `.` and `..` lead elsewhere. */
const OBJECT_KEY_PATTERN = /^(?:(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200}(?:\/|$))+$/;

/** What a store is asked for is made from ids and numbers; anything else is a mistake of ours, and never gets anywhere. */
export function checkObjectKey(name: string): string {
  if (!OBJECT_KEY_PATTERN.test(name) || name.endsWith('/') || name.length > 900)
    throw new TypeError(`Not the name of an object: ${JSON.stringify(name.slice(0, 200))}`);
  return name;
}

/** What is written to see whether anything can be. */
export const PROBE_KEY = 'parley-trial';

export async function putTextObject(store: ObjectStore, name: string, text: string): Promise<void> {
  await store.put(name, Buffer.from(text, 'utf8'));
}

export async function getTextObject(store: ObjectStore, name: string): Promise<string | undefined> {
  const bytes = await store.get(name);
  return bytes && Buffer.from(bytes).toString('utf8');
}

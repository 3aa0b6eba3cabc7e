/** Stores whole objects by name, outside of Temporal. Putting an object again under its name is allowed. */
export interface ObjectStore {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Returns `undefined` if the object does not exist. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Rejects if the storage cannot be used. Writes a small object, or only tries to read it. */
  probe(access: 'read' | 'write'): Promise<void>;
  close(): void;
}

/** The storage is down, full, or denies access. The message says what to do. */
export class StorageError extends Error {
  override readonly name = 'StorageError';

  constructor(
    message: string,
    /** The storage is reachable but denies the request, so retrying cannot help. */
    readonly isDenied = false,
  ) {
    super(message);
  }
}

/** Names that are valid both as file paths and as bucket keys. `.` and `..` would lead elsewhere. */
const OBJECT_KEY_PATTERN = /^(?:(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200}(?:\/|$))+$/;

/** Rejects invalid keys. Keys are built from ids and numbers, so an invalid one is a bug in Parley. */
export function checkObjectKey(name: string): string {
  if (!OBJECT_KEY_PATTERN.test(name) || name.endsWith('/') || name.length > 900)
    throw new TypeError(`Invalid object name: ${JSON.stringify(name.slice(0, 200))}`);
  return name;
}

export const PROBE_KEY = 'parley-trial';

export async function putTextObject(store: ObjectStore, name: string, text: string): Promise<void> {
  await store.put(name, Buffer.from(text, 'utf8'));
}

export async function getTextObject(store: ObjectStore, name: string): Promise<string | undefined> {
  const bytes = await store.get(name);
  return bytes && Buffer.from(bytes).toString('utf8');
}

/** Keeps whole objects by name, outside of Temporal. To keep one again under its name is no fault. */
export interface Store {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Nothing where there is none of that name. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Rejects where it cannot be used: something small is written, or only looked for. */
  tryOut(how: 'read' | 'write'): Promise<void>;
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

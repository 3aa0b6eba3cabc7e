/** What was encrypted cannot be read with the keys that are here. It is not lost: the right key reads it. */
export class KeyError extends Error {
  override readonly name = 'KeyError';

  constructor(
    readonly keyId: string,
    isHere: boolean,
  ) {
    const why = isHere
      ? `The encryption key "${keyId}" that is here is not the one that this was encrypted with, or it was changed since.`
      : `This was encrypted with the key "${keyId}", which is not here.`;
    super(`${why} Put the right one into PARLEY_ENCRYPTION_KEYS; nothing is lost.`);
  }
}

/** By its name, as the class may have been loaded twice; also where it is the cause of what was thrown. */
export function keyErrorIn(error: unknown): KeyError | undefined {
  for (let one = error, depth = 0; one instanceof Object && depth < 8; depth += 1) {
    if ((one as Error).name === 'KeyError' && 'keyId' in one) return one as KeyError;
    one = (one as Error).cause;
  }
  return undefined;
}

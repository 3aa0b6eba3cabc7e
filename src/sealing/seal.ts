import type { Keys } from '#contract/encryption';
import { decipher, encipher } from './cipher';

/** No text begins like this, so what is in clear is never taken for sealed. */
const MARK = Uint8Array.of(0x00, 0x50, 0x53, 0x01);
const LENGTH_AT = MARK.length;
const ID_AT = LENGTH_AT + 1;

/** Encrypted with the first key, whose id goes before it. */
export function sealed(bytes: Uint8Array, [first]: Keys): Uint8Array {
  const id = new TextEncoder().encode(first.id);
  const head = Uint8Array.of(...MARK, id.length, ...id);
  return Buffer.concat([head, encipher(bytes, first, head)]);
}

/** What was sealed, with whichever key it names; what is in clear as it is. Throws a KeyError where the key is not here. */
export function opened(bytes: Uint8Array, keys: Keys | undefined): Uint8Array {
  if (!isSealed(bytes)) return bytes;
  const end = ID_AT + (bytes[LENGTH_AT] ?? 0);
  const id = new TextDecoder().decode(bytes.subarray(ID_AT, end));
  return decipher(bytes.subarray(end), id, keys ?? [], bytes.subarray(0, end));
}

export function isSealed(bytes: Uint8Array): boolean {
  return MARK.every((byte, at) => bytes[at] === byte);
}

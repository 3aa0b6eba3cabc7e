import fc from 'fast-check';
import { decryptEnvelope, encryptEnvelope, findEncryptionKeyError, isEncryptedEnvelope } from '#infra/crypto/aes-gcm';
import type { EncryptionKey } from '#infra/crypto/encryption-keys';

const key = (id: string, fill: number): EncryptionKey => ({ id, bytes: new Uint8Array(32).fill(fill) });
const [k1, k2] = [key('k1', 1), key('k2', 2)];

function keyErrorOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
  } catch (error) {
    return findEncryptionKeyError(error) && (error as Error).message;
  }
  return undefined;
}

describe('encrypted data', () => {
  it('is decrypted with the key it names, whichever is first now', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const envelope = encryptEnvelope(bytes, [k1]);
        expect(isEncryptedEnvelope(envelope)).toBe(true);
        expect(Buffer.from(decryptEnvelope(envelope, [k2, k1])).equals(bytes)).toBe(true);
      }),
    );
  });

  it('cannot be decrypted without the key, and the error names it', () => {
    const envelope = encryptEnvelope(Buffer.from('secret'), [k1]);
    expect(keyErrorOf(() => decryptEnvelope(envelope, [k2]))).toMatch(/"k1" is missing.*PARLEY_ENCRYPTION_KEYS/);
    expect(keyErrorOf(() => decryptEnvelope(envelope, undefined))).toMatch(/"k1" is missing/);
    expect(keyErrorOf(() => decryptEnvelope(envelope, [key('k1', 9)]))).toMatch(/"k1": a different key was used/);
  });

  it('cannot be decrypted once a byte was changed, removed or moved to another id', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (position, mask) => {
        const envelope = Buffer.from(encryptEnvelope(Buffer.from('secret'), [k1]));
        const index = 4 + (position % (envelope.length - 4));
        envelope[index] = (envelope[index] ?? 0) ^ mask;
        expect(keyErrorOf(() => decryptEnvelope(envelope, [k1, k2]))).toBeDefined();
        expect(keyErrorOf(() => decryptEnvelope(envelope.subarray(0, index), [k1, k2]))).toBeDefined();
      }),
    );
  });

  it('is distinguished from plain data, which is read unchanged', () => {
    const plaintext = Buffer.from('{"text":"as it was before encryption"}');
    expect(decryptEnvelope(plaintext, [k1])).toBe(plaintext);
    expect(decryptEnvelope(Buffer.alloc(0), undefined)).toHaveLength(0);
  });

  it('never looks the same twice', () => {
    expect(Buffer.from(encryptEnvelope(Buffer.from('x'), [k1])).equals(encryptEnvelope(Buffer.from('x'), [k1]))).toBe(
      false,
    );
  });
});

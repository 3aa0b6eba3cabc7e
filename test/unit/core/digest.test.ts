import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { canonicalJson, sha256Digest } from '#core/digest';

const byNode = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe('the digest of arguments', () => {
  it('is SHA-256 of their canonical JSON, as Node computes it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => expect(sha256Digest(value)).toBe(byNode(canonicalJson(value)))),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order of keys, nor on a round trip through JSON', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(sha256Digest(turned)).toBe(sha256Digest(value));
        expect(sha256Digest(JSON.parse(JSON.stringify(value)))).toBe(sha256Digest(value));
      }),
    );
  });

  it.each([
    [{ a: 1 }, { a: '1' }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: 1, b: 1 }],
    [[], {}],
    ['é', 'e\u0301'],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])('distinguishes %j from %j', (one, other) => {
    expect(sha256Digest(one)).not.toBe(sha256Digest(other));
  });

  it('of different values differs', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        expect(sha256Digest(one) === sha256Digest(other)).toBe(canonicalJson(one) === canonicalJson(other));
      }),
    );
  });
});

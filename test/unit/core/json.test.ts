import fc from 'fast-check';
import { byteLength, truncateBytes } from '#core/json';

describe('bytes of a text', () => {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes));
  const text = fc.oneof(units, fc.string(), fc.string({ unit: 'binary' }));

  it('are as many as in UTF-8, halves of pairs and all', () => {
    fc.assert(fc.property(text, (any) => expect(byteLength(any)).toBe(Buffer.byteLength(any))));
  });

  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 2],
    ['中', 3],
    ['😀', 4],
    ['\ud83d', 3],
    ['\ude00\ud83d', 6],
    ['\ud83d\ud83d\ude00x', 8],
  ])('of %j are %i', (given, bytes) => expect(byteLength(given)).toBe(bytes));

  it('are cut to about as many as may be', () => {
    expect(truncateBytes('plain', 5)).toBe('plain');
    expect(truncateBytes('中'.repeat(100), 30)).toBe(`${'中'.repeat(10)}… [90 more characters]`);
  });
});

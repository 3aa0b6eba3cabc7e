import fc from 'fast-check';
import { RE2JS } from 're2js';
import { estimateProgramSize, findPatternIssue, matchesPattern, maxPatternTextLength } from '#core/schema/pattern';
import { expectLinearTime } from '#test/support/expect-linear-time';

describe('a pattern', () => {
  it.each([
    ['^\\d{3}-\\d{4}$', '555-1234', '555-12345'],
    ['^[A-Z]{2}\\d{2}[A-Z0-9]{11,30}$', 'DE89370400440532013000', 'DE'],
    ['colou?r', 'the colour red', 'the colo'],
    ['(?i)^yes$', 'YES', 'yes!'],
    ['^\\p{Lu}\\p{L}+$', 'Ångström', 'ångström'],
    ['^.$', '😀', '😀😀'],
    ['^(a+)+$', 'aaaa', `${'a'.repeat(400)}!`],
    ['', 'anything', undefined],
  ])('%s matches anywhere in the text', (pattern, good, bad) => {
    expect(findPatternIssue(pattern)).toBeUndefined();
    expect(matchesPattern(pattern, good)).toBe(true);
    if (bad !== undefined) expect(matchesPattern(pattern, bad)).toBe(false);
  });

  it.each([
    ['look-ahead', 'a(?=b)', /\(\?=/],
    ['negative look-ahead', '^(?!x)', /\(\?!/],
    ['look-behind', '(?<=a)b', /\(\?<=/],
    ['a back-reference', '(a)\\1', /\\1/],
    ['an atomic group', '(?>a)', /\(\?>/],
    ['an unclosed group', '(a', /closing \)/],
    ['an unclosed class', '[a', /closing ]/],
    ['nothing to repeat', '*', /\*/],
    ['a reversed range', '[z-a]', /z-a/],
    ['an unknown escape', '\\u0041', /\\u/],
    ['a repetition of 1001', 'a{1001}', /repetitions/],
    ['nested repetitions', '(((a{1000}){1000}){1000})', /too many repetitions/],
    ['a long part repeated 1000 times', `(?:${'a'.repeat(240)}){1000}`, /too many repetitions/],
    ['many long repetitions', '\\pL{1000}'.repeat(28), /too many repetitions/],
    ['a quoted bracket before a repetition', `(?:\\Q)\\E${'a'.repeat(200)}){1000}`, /too many repetitions/],
    ['a bracket in a class before a repetition', `(?:[)]${'a'.repeat(200)}){1000}`, /too many repetitions/],
    ['flags before a repetition', `(?:${'a'.repeat(200)})(?i){1000}`, /too many repetitions/],
    ['one repetition too many', '.{0,400}', /too many repetitions.*maxLength/],
    ['wide ranges ignoring case', `(?i)${'[B-\\x{1e942}]'.repeat(17)}`, /Unicode/],
    ['the same, written out', `(?i)[${'B-\u{1e942}'.repeat(60)}]`, /Unicode/],
    ['very many Unicode classes', '\\pL'.repeat(80), /Unicode/],
  ])('with %s is rejected at once, with the reason', async (_what, pattern, why) => {
    await expectLinearTime(
      () => expect(findPatternIssue(pattern)).toMatch(why),
      () => findPatternIssue('^[a-z]+$'),
    );
  });

  it.each([
    ['deep nesting', '('.repeat(128) + ')'.repeat(128)],
    ['deep nesting with choices', `${'(?:'.repeat(60)}a${')?'.repeat(60)}`],
    ['repeated stars', '(a*)*'.repeat(50)],
    ['a class repeated to the limit', '\\pL{490}[!-%]'],
    ['the same, ignoring case', '(?i)[\\pL\\pN]{490}[!-%]'],
    ['choices repeated to the limit', '(?:(?:a?|b?)*){70}[c-f]'],
    ['endless states', '(?:a|b)*a[ab]{480}[c-f]'],
  ])('with %s is fast on the longest text it accepts', async (_what, pattern) => {
    expect(findPatternIssue(pattern)).toBeUndefined();
    const length = Math.min(maxPatternTextLength(pattern), 32_000);
    for (const text of ['a', 'ab', 'αβγ', 'x ']) {
      const whole = text.repeat(length).slice(0, length);
      await expectLinearTime(
        () => matchesPattern(pattern, whole),
        () => matchesPattern('^[a-z]+$', whole),
      );
    }
  });

  it('that is simple accepts any text within the size of an answer', () => {
    expect(maxPatternTextLength('^[A-Za-z ]+$')).toBeGreaterThan(32 * 1024);
  });

  it('is evicted from a full cache, and compiled again', () => {
    for (let n = 0; n < 200; n += 1) expect(matchesPattern(`^${n}$`, `${n}`)).toBe(true);
    expect(matchesPattern('^0$', '0')).toBe(true);
    expect(matchesPattern('^0$', '1')).toBe(false);
  });
});

const part = fc.constantFrom(
  ...['a', 'k', '\\d', '[a-z]', '[^]x]', '[]a]', '\\pL', '\\p{Greek}', '.', '\\Qa(b\\E', '\\x{41}'],
  ...['[[:alpha:]_]', '\\b', '^', '$', 'é', '😀', '\\(', '[(]', '[\\]]', '(?i)', '\\)', '[)]', '{', '{,5}', '}'],
);
const times = fc.constantFrom('', '', '*', '+', '?', '{3}', '{2,5}', '{0,4}', '{3,}', '{0}', '{1}', '*?', '{2,5}?');
const opening = fc.constantFrom('(', '(?:', '(?i:', '(?s-i:');
const { pattern: anyPattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    part,
    fc.tuple(opening, tie('pattern')).map(([open, within]) => `${open}${within})`),
  ),
  pattern: fc
    .array(fc.tuple(tie('piece'), times, fc.constantFrom('', '', '', '|')), { minLength: 1, maxLength: 4 })
    .map((pieces) => pieces.flat().join('')),
}));

describe('any pattern', () => {
  it('is never larger than estimated before it was compiled', () => {
    fc.assert(
      fc.property(anyPattern, (pattern) => {
        let compiled: RE2JS;
        try {
          compiled = RE2JS.compile(pattern);
        } catch {
          return;
        }
        expect(estimateProgramSize(pattern)).toBeGreaterThanOrEqual(compiled.programSize());
      }),
      { numRuns: 3_000 },
    );
  });

  it('and any text give a result, and never throw', () => {
    fc.assert(
      fc.property(fc.oneof(anyPattern, fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (p, text) => {
        expect(typeof matchesPattern(p, text)).toBe('boolean');
      }),
      { numRuns: 1_000 },
    );
  });
});

import fc from 'fast-check';
import { isUnreasonable, partsOf } from '../../../web/design/parts';

describe('a long text', () => {
  const paragraph = `${'Words and words. '.repeat(20)}\n\n`;

  it('is cut at blank lines, and nothing of it is lost', () => {
    const text = paragraph.repeat(60);
    const parts = partsOf(text);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('')).toBe(text);
    expect(partsOf('short')).toEqual(['short']);
    expect(partsOf('')).toEqual(['']);
  });

  it('is cut where it was before, however much comes after: only the last part changes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), (few, more) => {
        const before = partsOf(paragraph.repeat(few)).slice(0, -1);
        expect(partsOf(paragraph.repeat(few + more)).slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it('is never cut within code', () => {
    const code = `\`\`\`\n${'line\n\n'.repeat(2_000)}\`\`\`\n`;
    expect(partsOf(code)).toEqual([code]);
  });
});

describe('a text made to be hard', () => {
  it.each([
    ['quotes within quotes', '>'.repeat(5_000)],
    ['quotes with blanks', '> '.repeat(100)],
    ['lists within lists', '- '.repeat(100)],
    ['emphasis that never ends', '*a_ '.repeat(4_000)],
    ['links that never close', '['.repeat(5_000)],
  ])('is not parsed: %s', (_what, text) => {
    expect(isUnreasonable(`Before.\n\n${text}`)).toBe(true);
  });

  it('is not what people write', () => {
    const ordinary =
      '## A *title*\n\n- one\n  - two\n    - three\n\n> quoted\n> > twice\n\n| a | b |\n| - | - |\n';
    expect(isUnreasonable(ordinary.repeat(200))).toBe(false);
  });
});

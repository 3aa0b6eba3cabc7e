import fc from 'fast-check';
import { formatShortDuration, formatTimeAgo, formatTimeUntil } from '#presentation/format-time';
import { ONE_HOUR, START_TIME } from '#test/support/core/conversation-fixture';
import { isTooComplexToParse, sanitizeLinkUrl, splitMarkdown } from '../../../../../web/ui/markdown/untrusted-markdown';

describe('a long text', () => {
  const paragraph = `${'Words and words. '.repeat(20)}\n\n`;

  it('is split at blank lines without losing anything', () => {
    const text = paragraph.repeat(60);
    const parts = splitMarkdown(text);
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.join('')).toBe(text);
    expect(splitMarkdown('short')).toEqual(['short']);
    expect(splitMarkdown('')).toEqual(['']);
  });

  it('is split at the same places as it grows: only the last part changes', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.nat({ max: 40 }), (count, more) => {
        const before = splitMarkdown(paragraph.repeat(count)).slice(0, -1);
        expect(splitMarkdown(paragraph.repeat(count + more)).slice(0, before.length)).toEqual(before);
      }),
    );
  });

  it('is never split within code', () => {
    const codeBlock = `\`\`\`\n${'line\n\n'.repeat(2_000)}\`\`\`\n`;
    expect(splitMarkdown(codeBlock)).toEqual([codeBlock]);
  });
});

describe('a hostile text', () => {
  it.each([
    ['quotes within quotes', '>'.repeat(5_000)],
    ['quotes with blanks', '> '.repeat(100)],
    ['lists within lists', '- '.repeat(100)],
    ['emphasis that never ends', '*a_ '.repeat(4_000)],
    ['links that never close', '['.repeat(5_000)],
  ])('is not parsed: %s', (_what, text) => {
    expect(isTooComplexToParse(`Before.\n\n${text}`)).toBe(true);
  });

  it('is not what people write', () => {
    const ordinary = '## A *title*\n\n- one\n  - two\n    - three\n\n> quoted\n> > twice\n\n| a | b |\n| - | - |\n';
    expect(isTooComplexToParse(ordinary.repeat(200))).toBe(false);
  });
});

describe('presentation/format-time', () => {
  const isoTime = (ms: number) => new Date(START_TIME + ms).toISOString();
  it.each([
    [0, '1 s'],
    [40_000, '40 s'],
    [59_600, '60 s'],
    [12 * 60_000, '12 min'],
    [98 * 60_000, '98 min'],
    [3 * ONE_HOUR, '3 h'],
    [47 * ONE_HOUR, '2 d'],
    [3650 * 24 * ONE_HOUR, '3,650 d'],
  ])('are as short as possible: %i ms', (ms, text) => {
    expect(formatShortDuration(ms)).toBe(text);
  });

  it('describe past and future times', () => {
    expect([
      formatTimeAgo(isoTime(0), START_TIME),
      formatTimeAgo(isoTime(9_000), START_TIME),
      formatTimeAgo(isoTime(-ONE_HOUR), START_TIME),
    ]).toEqual(['just now', 'just now', '60 min ago']);
    expect([
      formatTimeUntil(isoTime(3 * ONE_HOUR), START_TIME),
      formatTimeUntil(isoTime(0), START_TIME),
      formatTimeUntil(isoTime(-1), START_TIME),
    ]).toEqual(['in 3 h', 'now', 'now']);
  });
});

describe('a link', () => {
  it.each(['https://example.org/a?b#c', 'http://example.org', 'mailto:ada@example.org'])('leads to %s', (url) => {
    expect(sanitizeLinkUrl(url)).toBe(url);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://example.org/1',
    'file:///etc/passwd',
    'ftp://example.org',
    'about:blank',
    '//example.org',
    '/conversations/x',
    '?search=x',
    '#main',
    '',
    'https://',
    'http://[',
    'tel:1',
    'view-source:https://example.org',
  ])('is not a link: %j', (url) => {
    expect(sanitizeLinkUrl(url)).toBeUndefined();
  });
});

import { ago, span, until } from '#core/times';
import { HOUR, NOW } from '#test/support/core/given';
import { safeUrl } from '../../../web/design/safe-url';

describe('../../src/core/times', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString();
  it.each([
    [0, '1 s'],
    [40_000, '40 s'],
    [59_600, '60 s'],
    [12 * 60_000, '12 min'],
    [98 * 60_000, '98 min'],
    [3 * HOUR, '3 h'],
    [47 * HOUR, '2 d'],
    [3650 * 24 * HOUR, '3,650 d'],
  ])('are as short as they can be said: %i ms', (ms, text) => {
    expect(span(ms)).toBe(text);
  });

  it('tell what has been and what is to come', () => {
    expect([ago(at(0), NOW), ago(at(9_000), NOW), ago(at(-HOUR), NOW)]).toEqual([
      'just now',
      'just now',
      '60 min ago',
    ]);
    expect([until(at(3 * HOUR), NOW), until(at(0), NOW), until(at(-1), NOW)]).toEqual([
      'in 3 h',
      'now',
      'now',
    ]);
  });
});

describe('a link', () => {
  it.each(['https://example.org/a?b#c', 'http://example.org', 'mailto:ada@example.org'])(
    'leads to %s',
    (url) => {
      expect(safeUrl(url)).toBe(url);
    },
  );

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
  ])('leads nowhere: %j', (url) => {
    expect(safeUrl(url)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { createTextStyle } from '#cli/render/colors';
import { renderMarkdownLines } from '#cli/render/markdown';
import { displayWidth } from '#cli/render/text';

const plain = (text: string, width = 40) => renderMarkdownLines(text, width, createTextStyle(false));
const colored = (text: string, width = 40) => renderMarkdownLines(text, width, createTextStyle(true));

describe('Markdown in a terminal', () => {
  it('styles headings, emphasis and code', () => {
    expect(colored('## Plan\n\n**Two** *or* `three`')).toEqual([
      '\u001b[1mPlan\u001b[22m',
      '',
      '\u001b[1mTwo\u001b[22m \u001b[3mor\u001b[23m \u001b[35mthree\u001b[39m',
    ]);
    expect(plain('## Plan\n\n**Two** *or* `three` ~~four~~')).toEqual(['Plan', '', 'Two or `three` ~~four~~']);
  });

  it('shows lists with bullets and numbers, nested', () => {
    expect(plain('- one\n- two\n  1. deep\n  2. deeper\n\n7. seven\n8. eight\n\n   more of it')).toEqual([
      '• one',
      '• two',
      '  1. deep',
      '  2. deeper',
      '',
      '7. seven',
      '8. eight',
      '',
      '   more of it',
    ]);
    expect(plain('- a list item that is longer than that', 20)).toEqual([
      '• a list item that',
      '  is longer than',
      '  that',
    ]);
  });

  it('keeps every space of code, and breaks its lines only at the edge', () => {
    expect(plain('```js\nif (a)\n    b( c )\n\n```\nAfter', 20)).toEqual(['  if (a)', '      b( c )', '', '', 'After']);
    expect(plain('```\nabcdefgh ijkl mnop qrst uv\n```', 20)).toEqual(['  abcdefgh ijkl mnop', '   qrst uv']);
  });

  it('marks quotes and rules', () => {
    expect(plain('> so it was\n> said\n\n---')).toEqual(['│ so it was said', '', '─'.repeat(40)]);
  });

  it('shows the URL of a link, if its text differs', () => {
    expect(plain('[here](https://a.example/b) <https://a.example> <me@a.example>', 80)).toEqual([
      'here (https://a.example/b) https://a.example me@a.example',
    ]);
    expect(plain('![a cat](https://a.example/c.png)', 80)).toEqual(['a cat (https://a.example/c.png)']);
    expect(plain('[x](javascript:alert(1)) [y](/inside)', 80)).toEqual(['[x](javascript:alert(1)) [y](/inside)']);
  });

  it('aligns tables by display width', () => {
    expect(plain('| Drink | Price |\n| --- | ---: |\n| 日本茶 | 3.50 |\n| Tea | 12.00 |')).toEqual([
      'Drink   Price',
      '──────  ─────',
      '日本茶   3.50',
      'Tea     12.00',
    ]);
  });

  it('writes a table that is too wide row by row', () => {
    expect(plain('| Drink | Notes |\n| --- | --- |\n| Tea | green and a little bitter |\n| Milk | |', 20)).toEqual([
      'Drink: Tea',
      'Notes: green and a',
      'little bitter',
      '',
      'Drink: Milk',
      'Notes:',
    ]);
  });

  it('prints no control characters, not even from entities', () => {
    const hostile = 'a\u001b[31mb\u0007\r\n`c\u009bd`\n\n&#13;&#27;&#x202e;e\n\n```\n\u001b]0;title\u0007\n```';
    const shown = plain(hostile).join('\n');
    expect(shown).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
    expect(shown).toContain('a␛[31mb␇');
  });

  const fragments = fc.constantFrom(
    '# ',
    '- ',
    '1. ',
    '> ',
    '```\n',
    '`',
    '**',
    '_',
    '~~',
    '[',
    '](https://a.example)',
    '|',
    '\n| --- | ---: |\n',
    '---\n',
    '\n',
    '\n\n',
    '    ',
    '\t',
    'word',
    '日本語',
    '👩‍👩‍👧',
    '&#13;',
    '\u001b[31m',
    '\u202e',
    'x'.repeat(50),
  );
  const texts = fc.array(fc.oneof(fragments, fc.string()), { maxLength: 40 }).map((parts) => parts.join(''));

  it('never throws, exceeds the width, or prints a control character', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 20, max: 100 }), (text, width) => {
        for (const line of plain(text, width)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
        }
        for (const line of colored(text, width)) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      }),
      { numRuns: 500 },
    );
  });
});

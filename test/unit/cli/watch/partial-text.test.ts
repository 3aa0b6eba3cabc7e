import fc from 'fast-check';
import { createTextStyle } from '#cli/render/colors';
import { type MarkdownPart, renderMarkdownLines } from '#cli/render/markdown';
import { PartialText, type PartialTextUpdate } from '#cli/watch/partial-text';

const linesOf = (parts: MarkdownPart[]) => parts.flatMap((part) => part.lines(60, createTextStyle(false)));

/** What is on the screen for good after the text was written in these steps. */
function printed(steps: string[], final = steps.at(-1) ?? ''): string[] {
  const writing = new PartialText();
  const screen: string[] = [];
  const print = ({ done, isAnew }: PartialTextUpdate) => screen.push(...(isAnew ? ['ANEW'] : []), ...linesOf(done));
  for (const step of steps) print(writing.write(step));
  print(writing.finish(final));
  return screen;
}

const stepsOf = (text: string, by: number) =>
  Array.from({ length: Math.ceil(text.length / by) }, (_, at) => text.slice(0, (at + 1) * by));

describe('a message while it is written', () => {
  const text =
    '# Plan\n\nTwo *words* first.\n\n- one\n- two\n  - deeper\n- three\n\n```js\nlet a;\n\nlet b;\n```\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n9. nine\n10. ten\n\n> quoted\n\nThe end.';

  it.each([1, 2, 7, 24, 1_000])('is printed once, in pieces of %i characters', (by) => {
    expect(printed(stepsOf(text, by))).toEqual(renderMarkdownLines(text, 60, createTextStyle(false)));
  });

  it('is printed as far as it can no longer change', () => {
    const writing = new PartialText();
    const { done, open } = writing.write('One.\n\n- two\n- thr');
    expect([linesOf(done), linesOf(open)]).toEqual([['One.', '', '• two'], ['• thr']]);
  });

  it('is told anew where it begins differently the second time', () => {
    expect(printed(['First try.\n\nMore', '', 'Second'], 'Second try.')).toEqual(['First try.', 'ANEW', 'Second try.']);
    const writing = new PartialText();
    writing.write('First try.\n\nMore');
    expect(writing.write('Second try.\n\nMo')).toMatchObject({
      isAnew: true,
      done: [{ source: 'Second try.' }],
    });
  });

  it('is not told again where the second time it says the same', () => {
    expect(printed(['Same.\n\nMore', '', 'Sam', 'Same.\n\nMore of it'])).toEqual(['Same.', '', 'More of it']);
  });

  it('ends with all of it on the screen, whatever it is and however it comes', () => {
    const fragments = fc.constantFrom(
      '# ',
      '- ',
      '1. ',
      '> ',
      '```\n',
      '**',
      '|',
      '| --- |\n',
      '---\n',
      '\n',
      '\n\n',
      '    ',
      'word ',
      '\n\nMore.\n\n',
      '日本',
    );
    const texts = fc.array(fragments, { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (written, by) => {
        const screen = printed(stepsOf(written, by), written);
        const whole = renderMarkdownLines(written, 60, createTextStyle(false));
        expect(screen.slice(screen.length - whole.length)).toEqual(whole);
        if (!screen.includes('ANEW')) expect(screen).toEqual(whole);
      }),
      { numRuns: 500 },
    );
  });
});

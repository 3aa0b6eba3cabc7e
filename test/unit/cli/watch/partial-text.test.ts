import fc from 'fast-check';
import { createTextStyle } from '#cli/render/colors';
import { type MarkdownPart, renderMarkdownLines } from '#cli/render/markdown';
import { PartialText, type PartialTextUpdate } from '#cli/watch/partial-text';

const linesOf = (parts: MarkdownPart[]) => parts.flatMap((part) => part.lines(60, createTextStyle(false)));

/** What stays on the screen after the text was written in these steps. */
function printInSteps(steps: string[], final = steps.at(-1) ?? ''): string[] {
  const partialText = new PartialText();
  const screen: string[] = [];
  const print = ({ finished, isRestart }: PartialTextUpdate) =>
    screen.push(...(isRestart ? ['ANEW'] : []), ...linesOf(finished));
  for (const step of steps) print(partialText.write(step));
  print(partialText.finish(final));
  return screen;
}

const stepsOf = (text: string, stepLength: number) =>
  Array.from({ length: Math.ceil(text.length / stepLength) }, (_, index) => text.slice(0, (index + 1) * stepLength));

describe('a message while it is written', () => {
  const text =
    '# Plan\n\nTwo *words* first.\n\n- one\n- two\n  - deeper\n- three\n\n```js\nlet a;\n\nlet b;\n```\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n9. nine\n10. ten\n\n> quoted\n\nThe end.';

  it.each([1, 2, 7, 24, 1_000])('is printed once, in pieces of %i characters', (stepLength) => {
    expect(printInSteps(stepsOf(text, stepLength))).toEqual(renderMarkdownLines(text, 60, createTextStyle(false)));
  });

  it('is printed once although the next list item looks like a paragraph at first', () => {
    const list = '1. one\n\n2. two\n\nThe end.';
    expect(printInSteps(stepsOf(list, 1))).toEqual(renderMarkdownLines(list, 60, createTextStyle(false)));
  });

  it('is printed as far as it can no longer change', () => {
    const partialText = new PartialText();
    const { finished, unfinished } = partialText.write('One.\n\n- two\n\n3');
    expect([linesOf(finished), linesOf(unfinished)]).toEqual([['One.'], ['', '• two', '', '3']]);
  });

  it('is printed again if a retry begins differently', () => {
    expect(printInSteps(['First try.\n\nMore\n\n- of', '', 'Second'], 'Second try.')).toEqual([
      'First try.',
      'ANEW',
      'Second try.',
    ]);
    const partialText = new PartialText();
    partialText.write('First try.\n\nMore\n\n- of');
    const { isRestart, finished } = partialText.write('Second try.\n\nMore\n\n- of');
    expect([isRestart, linesOf(finished)]).toEqual([true, ['Second try.']]);
  });

  it('is not printed again if a retry is the same', () => {
    expect(printInSteps(['Same.\n\nMore\n\n- of', '', 'Sam', 'Same.\n\nMore of it'])).toEqual([
      'Same.',
      '',
      'More of it',
    ]);
  });

  it('ends with all of it on the screen, for any text in any pieces', () => {
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
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (written, stepLength) => {
        const screen = printInSteps(stepsOf(written, stepLength), written);
        const expected = renderMarkdownLines(written, 60, createTextStyle(false));
        expect(screen.slice(screen.length - expected.length)).toEqual(expected);
        if (!screen.includes('ANEW')) expect(screen).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

import { type Editor, edit, editorOf } from '#cli/ask/editor';
import { editorLines } from '#cli/ask/form/editor-view';
import { pasted } from '#cli/screen/key';
import { styleFor } from '#cli/text/style';
import { key } from '#test/support/cli/ask/questions';

/** The text with `|` where the cursor is. */
function having(start: string, ...keys: string[]): string {
  const at = start.indexOf('|');
  const editor: Editor = { text: start.replace('|', ''), at, isLong: start.includes('\n') };
  const { text, at: end } = keys.reduce((one, name) => edit(one, key(name)) ?? one, editor);
  return `${text.slice(0, end)}|${text.slice(end)}`;
}

describe('the editor', () => {
  it.each([
    ['ab|c', ['X'], 'abX|c'],
    ['ab|c', ['left'], 'a|bc'],
    ['ab|c', ['right', 'right'], 'abc|'],
    ['a👨‍👩‍👧|b', ['left'], 'a|👨‍👩‍👧b'],
    ['a👨‍👩‍👧|b', ['backspace'], 'a|b'],
    ['|é!', ['delete'], '|!'],
    ['one two|', ['C-a'], '|one two'],
    ['|one two', ['C-e'], 'one two|'],
    ['|one two', ['end', 'home'], '|one two'],
    ['one |two', ['C-k'], 'one |'],
    ['one |two', ['C-u'], '|two'],
    ['one two|', ['C-w'], 'one |'],
    ['one two |', ['M-backspace'], 'one |'],
    ['one two|', ['M-b', 'M-b'], '|one two'],
    ['|one, two', ['M-f'], 'one|, two'],
    ['|one two', ['M-d'], '| two'],
    ['日本|語', ['backspace', 'right'], '日語|'],
    ['ab\nc|d', ['up'], 'a|b\ncd'],
    ['a|b\ncd', ['down'], 'ab\nc|d'],
    ['ab\ncd|', ['home'], 'ab\n|cd'],
    ['ab|\ncd', ['C-k'], 'ab|cd'],
    ['ab\n|', ['M-return'], 'ab\n\n|'],
    ['ab|\n', ['enter'], 'ab\n|\n'],
    ['|', ['up', 'down', 'left', 'C-w', 'C-u', 'M-b', 'delete'], '|'],
  ])('makes of %j with %j: %j', (start, keys, end) => {
    expect(having(start, ...keys)).toBe(end);
  });

  it('joins what belongs to one character, although it comes in parts', () => {
    const parts = [...'👨‍👩‍👧'].map((part) => ({ ...key('x'), text: part }));
    const editor = parts.reduce((one, part) => edit(one, part) ?? one, editorOf());
    expect(editor).toMatchObject({ text: '👨‍👩‍👧', at: editor.text.length });
    expect(edit(editor, key('backspace'))?.text).toBe('');
  });

  it('keeps the lines of a paste where there may be some, and makes one of them elsewhere', () => {
    const paste = pasted('one\r\ntwo\tthree\x1b[31m\n');
    expect(edit(editorOf('', true), paste)?.text).toBe('one\ntwo  three[31m\n');
    expect(edit(editorOf(), paste)?.text).toBe('one two  three[31m');
  });

  it('breaks what is written at the edge, shows where one is, and stays around there', () => {
    const style = { ...styleFor(false), inverse: (text: string) => `[${text}]` };
    expect(editorLines(editorOf('日本語日本語'), 5, 9, style)).toEqual(['日本', '語日', '本語[ ]']);
    expect(editorLines(editorOf('abcd'), 4, 9, style)).toEqual(['abcd', '[ ]']);
    expect(editorLines({ text: 'ab\ncd', at: 2, isLong: true }, 9, 9, style)).toEqual(['ab[ ]', 'cd']);
    expect(editorLines({ text: 'a\nb\nc\nd\ne', at: 4, isLong: true }, 9, 3, style)).toEqual([
      'b',
      '[c]',
      'd',
    ]);
    expect(editorLines(editorOf('\x1b\u202e'), 9, 1, style)).toEqual(['␛�[ ]']);
  });
});

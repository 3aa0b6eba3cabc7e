import {
  createTextEditor,
  editText,
  renderEditorLines as renderColoredLines,
  type TextEditor,
} from '#cli/prompt/form/text-editor';
import { createTextStyle } from '#cli/render/colors';
import { toPasteKeyPress } from '#cli/tty/keyboard';
import { keyNamed } from '#test/support/cli/question-fixtures';

/** The text with `|` where the cursor is. */
function editMarked(start: string, ...keys: string[]): string {
  const at = start.indexOf('|');
  const editor: TextEditor = { text: start.replace('|', ''), cursor: at, isLong: start.includes('\n') };
  const { text, cursor: end } = keys.reduce((current, name) => editText(current, keyNamed(name)) ?? current, editor);
  return `${text.slice(0, end)}|${text.slice(end)}`;
}

describe('the text editor', () => {
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
  ])('turns %j with %j into %j', (start, keys, end) => {
    expect(editMarked(start, ...keys)).toBe(end);
  });

  it('joins the parts of one character, even if they arrive separately', () => {
    const parts = [...'👨‍👩‍👧'].map((part) => ({ ...keyNamed('x'), text: part }));
    const editor = parts.reduce((current, part) => editText(current, part) ?? current, createTextEditor());
    expect(editor).toMatchObject({ text: '👨‍👩‍👧', cursor: editor.text.length });
    expect(editText(editor, keyNamed('backspace'))?.text).toBe('');
  });

  it('keeps the lines of a paste in a multi-line field, and joins them elsewhere', () => {
    const paste = toPasteKeyPress('one\r\ntwo\tthree\x1b[31m\n');
    expect(editText(createTextEditor('', true), paste)?.text).toBe('one\ntwo  three[31m\n');
    expect(editText(createTextEditor(), paste)?.text).toBe('one two  three[31m');
  });

  it('wraps at the edge, shows the cursor, and keeps it in view', () => {
    const renderEditorLines = (...[editor, width, maxRows]: [TextEditor, number, number]) =>
      renderColoredLines(editor, width, maxRows, createTextStyle(false)).map((line) =>
        line.replace('\x1b[7m\x1b[27m', '').replace('\x1b[7m', '[').replace('\x1b[27m', ']'),
      );
    expect(renderEditorLines(createTextEditor('日本語日本語'), 5, 9)).toEqual(['日本', '語日', '本語[ ]']);
    expect(renderEditorLines(createTextEditor('abcd'), 4, 9)).toEqual(['abcd', '[ ]']);
    expect(renderEditorLines({ text: 'ab\ncd', cursor: 2, isLong: true }, 9, 9)).toEqual(['ab[ ]', 'cd']);
    expect(renderEditorLines({ text: 'a\nb\nc\nd\ne', cursor: 4, isLong: true }, 9, 3)).toEqual(['b', '[c]', 'd']);
    expect(renderEditorLines(createTextEditor('\x1b\u202e'), 9, 1)).toEqual(['␛�[ ]']);
  });
});

import type { TextStyle } from '#cli/render/colors';
import { sanitizeText } from '#cli/render/sanitize';
import { displayWidth, GRAPHEMES } from '#cli/render/text';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';

/** Text being edited, and its cursor position. */
export interface TextEditor {
  text: string;
  /** In UTF-16 units, always at a grapheme boundary. */
  cursor: number;
  /** Can have several lines. */
  isLong: boolean;
}

export function createTextEditor(text = '', isLong = false): TextEditor {
  return { text, cursor: text.length, isLong };
}

/** Applies a key. Returns undefined if the key has no effect here. */
export function editText(editor: TextEditor, key: KeyPress): TextEditor | undefined {
  if (key.text !== '') return insertText(editor, key.text);
  return KEY_EDITS[keyChord(key)]?.(editor);
}

export function insertText({ text, cursor, isLong }: TextEditor, added: string): TextEditor {
  const inserted = isLong ? added : joinLines(added);
  const newText = text.slice(0, cursor) + inserted + text.slice(cursor);
  return { text: newText, cursor: graphemeEdgeFrom(newText, cursor + inserted.length), isLong };
}

/** Joins lines and drops the line break that copied text usually ends with. */
function joinLines(text: string): string {
  return text.replace(/^\n+|\n+$/g, '').replace(/\n+/g, ' ');
}

const moveTo = (findPosition: (editor: TextEditor) => number) => (editor: TextEditor) => ({
  ...editor,
  cursor: findPosition(editor),
});
const removeTo = (findPosition: (editor: TextEditor) => number) => (editor: TextEditor) => {
  const end = findPosition(editor);
  const [from, until] = end < editor.cursor ? [end, editor.cursor] : [editor.cursor, end];
  const text = editor.text.slice(0, from) + editor.text.slice(until);
  return { ...editor, text, cursor: graphemeEdgeFrom(text, from) };
};
const newLine = (editor: TextEditor) => (editor.isLong ? insertText(editor, '\n') : undefined);

const KEY_EDITS: Record<string, (editor: TextEditor) => TextEditor | undefined> = {
  left: moveTo(positionBefore),
  'C-b': moveTo(positionBefore),
  right: moveTo(positionAfter),
  'C-f': moveTo(positionAfter),
  up: moveTo(positionAbove),
  down: moveTo(positionBelow),
  home: moveTo(lineStart),
  'C-a': moveTo(lineStart),
  end: moveTo(lineEnd),
  'C-e': moveTo(lineEnd),
  'M-b': moveTo(wordBefore),
  'C-left': moveTo(wordBefore),
  'M-left': moveTo(wordBefore),
  'M-f': moveTo(wordAfter),
  'C-right': moveTo(wordAfter),
  'M-right': moveTo(wordAfter),
  backspace: removeTo(positionBefore),
  'C-h': removeTo(positionBefore),
  delete: removeTo(positionAfter),
  'C-d': removeTo(positionAfter),
  'C-w': removeTo(wordBefore),
  'M-backspace': removeTo(wordBefore),
  'M-d': removeTo(wordAfter),
  'C-u': removeTo(lineStart),
  'C-k': removeTo((editor) => (editor.text[editor.cursor] === '\n' ? positionAfter(editor) : lineEnd(editor))),
  enter: newLine,
  'M-return': newLine,
};

/**
 * Returns the first grapheme boundary at or after a position, because inserted text can combine with the text after it.
 */
function graphemeEdgeFrom(text: string, position: number): number {
  const start = graphemeEdgeUpTo(text, position);
  return start === position ? position : positionAfter({ text, cursor: start });
}

function graphemeEdgeUpTo(text: string, position: number): number {
  return GRAPHEMES.segment(text).containing(position)?.index ?? text.length;
}

function positionBefore({ text, cursor }: TextEditor): number {
  return cursor === 0 ? 0 : graphemeEdgeUpTo(text, cursor - 1);
}

function positionAfter({ text, cursor }: Pick<TextEditor, 'text' | 'cursor'>): number {
  const segment = GRAPHEMES.segment(text).containing(cursor);
  return segment ? segment.index + segment.segment.length : text.length;
}

function lineStart({ text, cursor }: TextEditor): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Pick<TextEditor, 'text' | 'cursor'>): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

function positionAbove(editor: TextEditor): number {
  const start = lineStart(editor);
  if (start === 0) return 0;
  const lineAboveStart = lineStart({ ...editor, cursor: start - 1 });
  return positionAtColumn(editor.text, lineAboveStart, start - 1, columnOf(editor, start));
}

function positionBelow(editor: TextEditor): number {
  const end = lineEnd(editor);
  if (end === editor.text.length) return end;
  const lineBelowEnd = lineEnd({ text: editor.text, cursor: end + 1 });
  return positionAtColumn(editor.text, end + 1, lineBelowEnd, columnOf(editor, lineStart(editor)));
}

/** Returns the cursor's column, in graphemes. */
function columnOf({ text, cursor }: TextEditor, start: number): number {
  return [...GRAPHEMES.segment(text.slice(start, cursor))].length;
}

function positionAtColumn(text: string, start: number, end: number, column: number): number {
  const segments = [...GRAPHEMES.segment(text.slice(start, end))].slice(0, column);
  return start + segments.reduce((sum, { segment }) => sum + segment.length, 0);
}

const WORD = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

function wordBefore({ text, cursor }: TextEditor): number {
  let position = cursor;
  while (position > 0 && !WORD.test(text[position - 1] ?? '')) position -= 1;
  while (position > 0 && WORD.test(text[position - 1] ?? '')) position -= 1;
  return graphemeEdgeUpTo(text, position);
}

function wordAfter({ text, cursor }: TextEditor): number {
  let position = cursor;
  while (position < text.length && !WORD.test(text[position] ?? '')) position += 1;
  while (position < text.length && WORD.test(text[position] ?? '')) position += 1;
  return graphemeEdgeFrom(text, position);
}

interface EditorRow {
  text: string;
  width: number;
  /** The grapheme at the cursor, as a range in `text`. */
  cursor?: { from: number; to: number };
}

/** Renders the text as lines of the given width, at most `maxRows` around the cursor. */
export function renderEditorLines(
  { text, cursor }: TextEditor,
  width: number,
  maxRows: number,
  style: TextStyle,
): string[] {
  const rows = layoutEditorRows(text, cursor, width);
  const current = rows.findIndex(({ cursor }) => cursor);
  const start = Math.max(0, Math.min(current - Math.floor(maxRows / 2), rows.length - maxRows));
  return rows.slice(start, start + maxRows).map((row) => renderEditorRow(row, style));
}

function layoutEditorRows(text: string, cursor: number, width: number): EditorRow[] {
  const rows: EditorRow[] = [{ text: '', width: 0 }];
  const add = (displayed: string, segmentColumns: number, isCursor: boolean) => {
    let row = rows.at(-1) as EditorRow;
    if (row.width + segmentColumns > width) {
      row = { text: '', width: 0 };
      rows.push(row);
    }
    if (isCursor) row.cursor = { from: row.text.length, to: row.text.length + displayed.length };
    row.text += displayed;
    row.width += segmentColumns;
  };
  for (const { segment, index } of GRAPHEMES.segment(text)) {
    const isCursor = index === cursor;
    if (segment === '\n') {
      if (isCursor) add(' ', 1, true);
      rows.push({ text: '', width: 0 });
    } else {
      const displayed = displaySegment(segment, width);
      add(displayed, segmentWidth(displayed), isCursor);
    }
  }
  if (cursor >= text.length) add(' ', 1, true);
  return rows;
}

/** Makes a grapheme safe to print and no wider than a line. */
function displaySegment(segment: string, width: number): string {
  const safe = sanitizeText(segment).replaceAll('\n', ' ');
  return segmentWidth(safe) > width ? '\ufffd' : safe;
}

function segmentWidth(text: string): number {
  return /^[ -~]$/.test(text) ? 1 : displayWidth(text);
}

function renderEditorRow({ text, cursor }: EditorRow, style: TextStyle): string {
  if (!cursor) return text;
  const { from, to } = cursor;
  return text.slice(0, from) + style.inverse(text.slice(from, to)) + text.slice(to);
}

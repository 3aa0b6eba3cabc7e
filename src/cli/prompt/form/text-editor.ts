import type { TextStyle } from '#cli/render/colors';
import { sanitizeText } from '#cli/render/sanitize';
import { GRAPHEMES, hardWrapText } from '#cli/render/text';
import { joinLines, type KeyPress, keyChord } from '#cli/tty/keyboard';

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
  const chord = keyChord(key);
  if (editor.isLong && (chord === 'enter' || chord === 'M-return')) return insertText(editor, '\n');
  const findTarget = findPosition(MOVES, chord);
  if (findTarget) return { ...editor, cursor: findTarget(editor) };
  const findEnd = findPosition(DELETIONS, chord);
  return findEnd && removeTo(editor, findEnd(editor));
}

export function insertText({ text, cursor, isLong }: TextEditor, added: string): TextEditor {
  const inserted = isLong ? added : joinLines(added);
  const newText = text.slice(0, cursor) + inserted + text.slice(cursor);
  return { text: newText, cursor: graphemeEdgeFrom(newText, cursor + inserted.length), isLong };
}

type FindPosition = (editor: TextEditor) => number;

/** Keys that move the cursor, and where to. */
const MOVES: Record<string, FindPosition> = {
  'left C-b': positionBefore,
  'right C-f': positionAfter,
  up: positionAbove,
  down: positionBelow,
  'home C-a': lineStart,
  'end C-e': lineEnd,
  'M-b C-left M-left': wordBefore,
  'M-f C-right M-right': wordAfter,
};

/** Keys that delete, and up to where. */
const DELETIONS: Record<string, FindPosition> = {
  'backspace C-h': positionBefore,
  'delete C-d': positionAfter,
  'C-w M-backspace': wordBefore,
  'M-d': wordAfter,
  'C-u': lineStart,
  'C-k': (editor) => (editor.text[editor.cursor] === '\n' ? positionAfter(editor) : lineEnd(editor)),
};

function findPosition(table: Record<string, FindPosition>, chord: string): FindPosition | undefined {
  return Object.entries(table).find(([chords]) => chords.split(' ').includes(chord))?.[1];
}

function removeTo(editor: TextEditor, end: number): TextEditor {
  const [from, until] = end < editor.cursor ? [end, editor.cursor] : [editor.cursor, end];
  const text = editor.text.slice(0, from) + editor.text.slice(until);
  return { ...editor, text, cursor: graphemeEdgeFrom(text, from) };
}

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

/** Renders the text as lines of the given width, at most `maxRows` around the cursor. */
export function renderEditorLines(
  { text, cursor }: TextEditor,
  width: number,
  maxRows: number,
  style: TextStyle,
): string[] {
  const end = positionAfter({ text, cursor });
  const atCursor = text.slice(cursor, end);
  const isLineEnd = atCursor === '' || atCursor === '\n';
  const untilCursor = sanitizeText(text.slice(0, cursor)) + style.inverse(isLineEnd ? ' ' : sanitizeText(atCursor));
  const rows = hardWrapText(untilCursor + sanitizeText(text.slice(isLineEnd ? cursor : end)), width);
  const currentRow = hardWrapText(untilCursor, width).length - 1;
  const start = Math.max(0, Math.min(currentRow - Math.floor(maxRows / 2), rows.length - maxRows));
  return rows.slice(start, start + maxRows);
}

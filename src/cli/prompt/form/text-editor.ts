import type { TextStyle } from '#cli/render/colors';
import { sanitizeText } from '#cli/render/sanitize';
import { displayWidth } from '#cli/render/text';
import { type KeyPress, keyChord } from '#cli/tty/keyboard';

/** Text that is being written, and where in it one is. */
export interface TextEditor {
  text: string;
  /** In units of the string, always between two characters as people count them. */
  at: number;
  /** May have several lines. */
  isLong: boolean;
}

const GRAPHEMES = new Intl.Segmenter();

export function createTextEditor(text = '', isLong = false): TextEditor {
  return { text, at: text.length, isLong };
}

/** What the key makes of it; nothing where it means nothing here. */
export function editText(editor: TextEditor, key: KeyPress): TextEditor | undefined {
  if (key.text !== '') return insertText(editor, key.text);
  return KEY_EDITS[keyChord(key)]?.(editor);
}

export function insertText({ text, at, isLong }: TextEditor, added: string): TextEditor {
  const kept = isLong ? added : joinLines(added);
  const whole = text.slice(0, at) + kept + text.slice(at);
  return { text: whole, at: graphemeEdgeFrom(whole, at + kept.length), isLong };
}

/** A line that was copied mostly brings its end along. */
function joinLines(text: string): string {
  return text.replace(/^\n+|\n+$/g, '').replace(/\n+/g, ' ');
}

const moveTo = (at: (editor: TextEditor) => number) => (editor: TextEditor) => ({
  ...editor,
  at: at(editor),
});
const removeTo = (to: (editor: TextEditor) => number) => (editor: TextEditor) => {
  const end = to(editor);
  const [from, until] = end < editor.at ? [end, editor.at] : [editor.at, end];
  const text = editor.text.slice(0, from) + editor.text.slice(until);
  return { ...editor, text, at: graphemeEdgeFrom(text, from) };
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
  'C-k': removeTo((editor) => (editor.text[editor.at] === '\n' ? positionAfter(editor) : lineEnd(editor))),
  enter: newLine,
  'M-return': newLine,
};

/** The first edge between two characters from there on: what is written can join with what follows. */
function graphemeEdgeFrom(text: string, at: number): number {
  const start = graphemeEdgeUpTo(text, at);
  return start === at ? at : positionAfter({ text, at: start });
}

function graphemeEdgeUpTo(text: string, at: number): number {
  return GRAPHEMES.segment(text).containing(at)?.index ?? text.length;
}

function positionBefore({ text, at }: TextEditor): number {
  return at === 0 ? 0 : graphemeEdgeUpTo(text, at - 1);
}

function positionAfter({ text, at }: Pick<TextEditor, 'text' | 'at'>): number {
  const here = GRAPHEMES.segment(text).containing(at);
  return here ? here.index + here.segment.length : text.length;
}

function lineStart({ text, at }: TextEditor): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd({ text, at }: Pick<TextEditor, 'text' | 'at'>): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function positionAbove(editor: TextEditor): number {
  const start = lineStart(editor);
  if (start === 0) return 0;
  const upper = lineStart({ ...editor, at: start - 1 });
  return positionAtColumn(editor.text, upper, start - 1, columnOf(editor, start));
}

function positionBelow(editor: TextEditor): number {
  const end = lineEnd(editor);
  if (end === editor.text.length) return end;
  const lower = lineEnd({ text: editor.text, at: end + 1 });
  return positionAtColumn(editor.text, end + 1, lower, columnOf(editor, lineStart(editor)));
}

/** How many characters into its line. */
function columnOf({ text, at }: TextEditor, start: number): number {
  return [...GRAPHEMES.segment(text.slice(start, at))].length;
}

function positionAtColumn(text: string, start: number, end: number, column: number): number {
  const segments = [...GRAPHEMES.segment(text.slice(start, end))].slice(0, column);
  return start + segments.reduce((sum, { segment }) => sum + segment.length, 0);
}

const WORD = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

function wordBefore({ text, at }: TextEditor): number {
  let to = at;
  while (to > 0 && !WORD.test(text[to - 1] ?? '')) to -= 1;
  while (to > 0 && WORD.test(text[to - 1] ?? '')) to -= 1;
  return graphemeEdgeUpTo(text, to);
}

function wordAfter({ text, at }: TextEditor): number {
  let to = at;
  while (to < text.length && !WORD.test(text[to] ?? '')) to += 1;
  while (to < text.length && WORD.test(text[to] ?? '')) to += 1;
  return graphemeEdgeFrom(text, to);
}

const DISPLAY_GRAPHEMES = new Intl.Segmenter();

interface EditorRow {
  text: string;
  width: number;
  /** Where the cursor stands in `text`, and what is under it. */
  cursor?: { from: number; to: number };
}

/** What is being written, as lines of that width, at most so many: those around the cursor. */
export function renderEditorLines({ text, at }: TextEditor, width: number, room: number, style: TextStyle): string[] {
  const rows = layoutEditorRows(text, at, width);
  const current = rows.findIndex(({ cursor }) => cursor);
  const start = Math.max(0, Math.min(current - Math.floor(room / 2), rows.length - room));
  return rows.slice(start, start + room).map((row) => renderEditorRow(row, style));
}

function layoutEditorRows(text: string, at: number, width: number): EditorRow[] {
  const rows: EditorRow[] = [{ text: '', width: 0 }];
  const add = (shown: string, taken: number, isCursor: boolean) => {
    let row = rows.at(-1) as EditorRow;
    if (row.width + taken > width) {
      row = { text: '', width: 0 };
      rows.push(row);
    }
    if (isCursor) row.cursor = { from: row.text.length, to: row.text.length + shown.length };
    row.text += shown;
    row.width += taken;
  };
  for (const { segment, index } of DISPLAY_GRAPHEMES.segment(text)) {
    const isCursor = index === at;
    if (segment === '\n') {
      if (isCursor) add(' ', 1, true);
      rows.push({ text: '', width: 0 });
    } else {
      const shown = displaySegment(segment, width);
      add(shown, segmentWidth(shown), isCursor);
    }
  }
  if (at >= text.length) add(' ', 1, true);
  return rows;
}

/** Harmless, and never wider than a whole line. */
function displaySegment(segment: string, width: number): string {
  const shown = sanitizeText(segment).replaceAll('\n', ' ');
  return segmentWidth(shown) > width ? '\ufffd' : shown;
}

function segmentWidth(text: string): number {
  return /^[ -~]$/.test(text) ? 1 : displayWidth(text);
}

function renderEditorRow({ text, cursor }: EditorRow, style: TextStyle): string {
  if (!cursor) return text;
  const { from, to } = cursor;
  return text.slice(0, from) + style.inverse(text.slice(from, to)) + text.slice(to);
}

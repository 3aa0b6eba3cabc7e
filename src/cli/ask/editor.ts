import { chordOf, type Key } from '#cli/screen/key';

/** Text that is being written, and where in it one is. */
export interface Editor {
  text: string;
  /** In units of the string, always between two characters as people count them. */
  at: number;
  /** May have several lines. */
  isLong: boolean;
}

const SEGMENTS = new Intl.Segmenter();

export function editorOf(text = '', isLong = false): Editor {
  return { text, at: text.length, isLong };
}

/** What the key makes of it; nothing where it means nothing here. */
export function edit(editor: Editor, key: Key): Editor | undefined {
  if (key.text !== '') return insert(editor, key.text);
  return EDITS[chordOf(key)]?.(editor);
}

export function insert({ text, at, isLong }: Editor, added: string): Editor {
  const kept = isLong ? added : onOneLine(added);
  const whole = text.slice(0, at) + kept + text.slice(at);
  return { text: whole, at: edgeFrom(whole, at + kept.length), isLong };
}

/** A line that was copied mostly brings its end along. */
function onOneLine(text: string): string {
  return text.replace(/^\n+|\n+$/g, '').replace(/\n+/g, ' ');
}

const moveTo = (at: (editor: Editor) => number) => (editor: Editor) => ({ ...editor, at: at(editor) });
const removeTo = (to: (editor: Editor) => number) => (editor: Editor) => {
  const end = to(editor);
  const [from, until] = end < editor.at ? [end, editor.at] : [editor.at, end];
  const text = editor.text.slice(0, from) + editor.text.slice(until);
  return { ...editor, text, at: edgeFrom(text, from) };
};
const newLine = (editor: Editor) => (editor.isLong ? insert(editor, '\n') : undefined);

const EDITS: Record<string, (editor: Editor) => Editor | undefined> = {
  left: moveTo(before),
  'C-b': moveTo(before),
  right: moveTo(after),
  'C-f': moveTo(after),
  up: moveTo(above),
  down: moveTo(below),
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
  backspace: removeTo(before),
  'C-h': removeTo(before),
  delete: removeTo(after),
  'C-d': removeTo(after),
  'C-w': removeTo(wordBefore),
  'M-backspace': removeTo(wordBefore),
  'M-d': removeTo(wordAfter),
  'C-u': removeTo(lineStart),
  'C-k': removeTo((editor) => (editor.text[editor.at] === '\n' ? after(editor) : lineEnd(editor))),
  enter: newLine,
  'M-return': newLine,
};

/** The first edge between two characters from there on: what is written can join with what follows. */
function edgeFrom(text: string, at: number): number {
  const start = edgeUpTo(text, at);
  return start === at ? at : after({ text, at: start });
}

function edgeUpTo(text: string, at: number): number {
  return SEGMENTS.segment(text).containing(at)?.index ?? text.length;
}

function before({ text, at }: Editor): number {
  return at === 0 ? 0 : edgeUpTo(text, at - 1);
}

function after({ text, at }: Pick<Editor, 'text' | 'at'>): number {
  const here = SEGMENTS.segment(text).containing(at);
  return here ? here.index + here.segment.length : text.length;
}

function lineStart({ text, at }: Editor): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd({ text, at }: Pick<Editor, 'text' | 'at'>): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function above(editor: Editor): number {
  const start = lineStart(editor);
  if (start === 0) return 0;
  const upper = lineStart({ ...editor, at: start - 1 });
  return within(editor.text, upper, start - 1, columnOf(editor, start));
}

function below(editor: Editor): number {
  const end = lineEnd(editor);
  if (end === editor.text.length) return end;
  const lower = lineEnd({ text: editor.text, at: end + 1 });
  return within(editor.text, end + 1, lower, columnOf(editor, lineStart(editor)));
}

/** How many characters into its line. */
function columnOf({ text, at }: Editor, start: number): number {
  return [...SEGMENTS.segment(text.slice(start, at))].length;
}

function within(text: string, start: number, end: number, column: number): number {
  const segments = [...SEGMENTS.segment(text.slice(start, end))].slice(0, column);
  return start + segments.reduce((sum, { segment }) => sum + segment.length, 0);
}

const WORD = /[\p{L}\p{N}\p{M}\p{Cs}_]/u;

function wordBefore({ text, at }: Editor): number {
  let to = at;
  while (to > 0 && !WORD.test(text[to - 1] ?? '')) to -= 1;
  while (to > 0 && WORD.test(text[to - 1] ?? '')) to -= 1;
  return edgeUpTo(text, to);
}

function wordAfter({ text, at }: Editor): number {
  let to = at;
  while (to < text.length && !WORD.test(text[to] ?? '')) to += 1;
  while (to < text.length && WORD.test(text[to] ?? '')) to += 1;
  return edgeFrom(text, to);
}

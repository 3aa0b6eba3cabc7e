import { edit } from '#cli/ask/editor';
import { chordOf, type Key } from '#cli/screen/key';
import type { Stepped } from './list';
import type { Writing } from './step';

export function pressWriting(writing: Writing, key: Key): Stepped<Writing> | undefined {
  const chord = chordOf(key);
  const isLong = writing.editor.isLong;
  if (chord === 'return' || (chord === 'enter' && !isLong)) return { step: writing, go: 'next' };
  const editor = edit(writing.editor, key);
  return editor && { step: { ...writing, editor } };
}

import type { ActionToConfirm } from '#contract/question';
import { formatJsonBlock } from '#core/json';

/**
 * Returns the context without the arguments, which are shown separately; null for a tool, where Parley's own text adds
 * nothing.
 */
export function contextWithoutArguments(context: string | null, confirms: ActionToConfirm | undefined): string | null {
  if (!context || !confirms) return context;
  if (confirms.tool !== null) return null;
  const argumentsBlock = formatJsonBlock(confirms.arguments);
  return context.endsWith(argumentsBlock) ? context.slice(0, -argumentsBlock.length).trim() || null : context;
}

/** Direction marks, characters without width or shape, and every space but the plain one. */
const INVISIBLE_CHARACTERS = /(?! )[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}\u007f-\u009f]/gu;

/** Formats arguments as JSON, and escapes characters that could hide or reorder what a person reads. */
export function formatArguments(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, null, 2) ?? 'null');
}

/** Escapes invisible characters; the result is equivalent JSON. A character of two UTF-16 units becomes two escapes. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE_CHARACTERS, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

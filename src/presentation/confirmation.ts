import type { ActionToConfirm } from '#contract/question';
import { formatJsonBlock } from '#core/json';

/** What says more than the arguments, which are shown by themselves; Parley's own words about a tool say no more. */
export function contextWithoutArguments(context: string | null, confirms: ActionToConfirm | undefined): string | null {
  if (!context || !confirms) return context;
  if (confirms.tool !== null) return null;
  const argumentsBlock = formatJsonBlock(confirms.arguments);
  return context.endsWith(argumentsBlock) ? context.slice(0, -argumentsBlock.length).trim() || null : context;
}

/** Marks of direction, what has no width or no shape, and every space but the plain one. */
const INVISIBLE_CHARACTERS = /(?! )[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}\u007f-\u009f]/gu;

/** Arguments as JSON, with whatever could hide or turn around what one reads written out. */
export function formatArguments(value: unknown): string {
  return escapeInvisible(JSON.stringify(value, null, 2) ?? 'null');
}

/** It is the same JSON: what takes two units is written as two. */
export function escapeInvisible(json: string): string {
  return json.replace(INVISIBLE_CHARACTERS, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

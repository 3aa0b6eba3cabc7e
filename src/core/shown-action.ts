import type { Confirms } from '#contract/question';

/** Arguments as Parley writes them into the context of a confirmation. */
export function jsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** What says more than the arguments, which are shown by themselves; Parley's own words about a tool say no more. */
export function contextBeside(context: string | null, confirms: Confirms | undefined): string | null {
  if (!context || !confirms) return context;
  if (confirms.tool !== null) return null;
  const shown = jsonBlock(confirms.arguments);
  return context.endsWith(shown) ? context.slice(0, -shown.length).trim() || null : context;
}

/** Marks of direction, what has no width or no shape, and every space but the plain one. */
const HIDDEN = /(?! )[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Z}\u007f-\u009f]/gu;

/** Arguments as JSON, with whatever could hide or turn around what one reads written out. */
export function shownArguments(value: unknown): string {
  return writtenOut(JSON.stringify(value, null, 2) ?? 'null');
}

/** It is the same JSON: what takes two units is written as two. */
export function writtenOut(json: string): string {
  return json.replace(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

import type { ActionToConfirm, Question } from '#contract/question';
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

const DESTRUCTIVE_WORDS = [
  'delet(e|es|ed|ing|ion)|destroy(s|ed|ing)?|drop(s|ped|ping)?|purg(e|es|ed|ing)|wip(e|es|ed|ing)|eras(e|es|ed|ing)',
  'remov(e|es|ed|ing|al)|truncat(e|es|ed|ing)|terminat(e|es|ed|ing)|revok(e|es|ed|ing)|overwrit(e|es|ten|ing)|forc(e|ed)',
  'shut(s|ting)? down|reset(s|ting)?|format(s|ted|ting)?|kill(s|ed|ing)?|prod|production|live|irreversibl[ey]',
  'permanent(ly)?|pay(s|ing|ment|ments)?|charg(e|es|ed|ing)|refund(s|ed|ing)?|transfer(s|red|ring)?|publish(es|ed|ing)?',
  'rm|sql|sudo|everyone|everybody|all (users|customers|people|servers|data)',
];
const DESTRUCTIVE_PATTERN = new RegExp(`\\b(${DESTRUCTIVE_WORDS.join('|')})\\b`, 'i');

/**
 * What acts by itself on a "yes", and what sounds as if it could not be undone, is to look it. It only makes one look
 * twice.
 */
export function looksDestructive({
  confirms,
  fields,
  context,
}: Pick<Question, 'confirms' | 'fields' | 'context'>): boolean {
  if (!confirms) return false;
  const texts = [fields[0]?.question, context, JSON.stringify(confirms.arguments)?.replace(/[_-]/g, ' ')];
  return confirms.tool !== null || DESTRUCTIVE_PATTERN.test(texts.join('\n'));
}

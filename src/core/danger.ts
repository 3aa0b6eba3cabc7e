import type { Question } from '#contract/question';

const GRAVE = [
  'delet(e|es|ed|ing|ion)|destroy(s|ed|ing)?|drop(s|ped|ping)?|purg(e|es|ed|ing)|wip(e|es|ed|ing)|eras(e|es|ed|ing)',
  'remov(e|es|ed|ing|al)|truncat(e|es|ed|ing)|terminat(e|es|ed|ing)|revok(e|es|ed|ing)|overwrit(e|es|ten|ing)|forc(e|ed)',
  'shut(s|ting)? down|reset(s|ting)?|format(s|ted|ting)?|kill(s|ed|ing)?|prod|production|live|irreversibl[ey]',
  'permanent(ly)?|pay(s|ing|ment|ments)?|charg(e|es|ed|ing)|refund(s|ed|ing)?|transfer(s|red|ring)?|publish(es|ed|ing)?',
  'rm|sql|sudo|everyone|everybody|all (users|customers|people|servers|data)',
];
const SOUNDS_GRAVE = new RegExp(`\\b(${GRAVE.join('|')})\\b`, 'i');

/** What acts by itself on a "yes", and what sounds as if it could not be undone, is to look it. It only makes one look twice. */
export function isDangerous({
  confirms,
  fields,
  context,
}: Pick<Question, 'confirms' | 'fields' | 'context'>): boolean {
  if (!confirms) return false;
  const words = [fields[0]?.question, context, JSON.stringify(confirms.arguments)?.replace(/[_-]/g, ' ')];
  return confirms.tool !== null || SOUNDS_GRAVE.test(words.join('\n'));
}

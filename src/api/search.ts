import type { Conversation } from '#contract/conversation';

/** What is looked for, in whatever case it was typed. */
export function wordsIn(search: string): string[] {
  return fold(search).split(/\s+/).filter(Boolean);
}

/** Whether all the words are in what a list shows of it. Visibility cannot look into memos, so we do. */
export function holds(
  { id, title, agent, result }: Pick<Conversation, 'id' | 'title' | 'agent' | 'result'>,
  words: string[],
): boolean {
  if (words.length === 0) return true;
  const text = fold([id, title, agent, result ?? ''].join('\n'));
  return words.every((word) => text.includes(word));
}

/** Down and up again: `ẞ`, `ß` and `ss` are the same then, and so is a sigma wherever in a word it stands. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase();
}

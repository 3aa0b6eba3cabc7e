const MARK = /\[parley:|\/a\/[\w-]{20}/i;
const UNREADABLE = '\ufffd';

/** Why these may not be their own words as they wrote them: nothing of the kind is taken, nor kept. */
export function doubtIn(words: string): string | undefined {
  if (MARK.test(words))
    return 'Part of the mail from Parley is in it, and could not be told from what you wrote. Reply with nothing quoted, and no link.';
  if (words.includes(UNREADABLE))
    return 'Some of its letters could not be read: the mail was changed on its way. Answer by the link, or with plain letters.';
  return undefined;
}

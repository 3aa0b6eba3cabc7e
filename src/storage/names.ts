/** Parts that mean the same to a file system and to a bucket, with slashes between; `.` and `..` lead elsewhere. */
const NAME = /^(?:(?!\.{1,2}(?:\/|$))[A-Za-z0-9._-]{1,200}(?:\/|$))+$/;

/** What a store is asked for is made from ids and numbers; anything else is a mistake of ours, and never gets anywhere. */
export function checkedName(name: string): string {
  if (!NAME.test(name) || name.endsWith('/') || name.length > 900)
    throw new TypeError(`Not the name of an object: ${JSON.stringify(name.slice(0, 200))}`);
  return name;
}

/** Everything that is kept of one conversation is below this. */
export const CONVERSATIONS = 'conversations';

/** A result that was too large for the transcript. The handle says nothing without the conversation it was made in. */
export function resultName(conversationId: string, handle: string): string {
  return `${CONVERSATIONS}/${conversationId}/results/${handle}`;
}

/** A stretch of entries that left the state. */
export function entriesName(conversationId: string, piece: string): string {
  return `${CONVERSATIONS}/${conversationId}/entries/${piece}`;
}

/** What is written to see whether anything can be. */
export const TRIAL = 'parley-trial';

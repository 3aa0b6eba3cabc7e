import { findToActOn } from '#api/access';
import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import type { Run } from '#api/run';
import { looksAway } from '#channels/email/reply/automatic';
import { plainLetter } from '#channels/email/returns';
import { personNamed } from '#core/people';
import type { State } from '#core/state';
import type { ReadReply } from '#signing/reply';
import type { MailBack, Sender } from './mail-back';
import type { Taken } from './taken';

const SENTENCES = [
  'The mail that you replied to was sent to another address, and only a reply from there counts.',
  'You may answer the question yourself, though: do so here.',
];

/** A reply to what somebody else was asked is never taken. Who may answer themselves is told where; all others hear nothing. */
export async function tellOther(
  context: Context,
  back: MailBack,
  sender: Sender,
  person: string,
  { conversation }: ReadReply,
): Promise<Taken> {
  const ignored: Taken = { outcome: 'ignored', reason: 'other_sender' };
  if (looksAway(sender.mail)) return ignored;
  const run = await findFor(context, person, conversation);
  if (!run || !isKnown(context, run.memo.start.access, person)) return ignored;
  const links = [context.linksOf(conversation).web];
  const letter = plainLetter('Your reply was not taken', sender.address, SENTENCES, links);
  return (await back(sender, letter)) ? { ...ignored, outcome: 'asked_back' } : ignored;
}

async function findFor(
  { gateway, callerNamed }: Context,
  person: string,
  id: string,
): Promise<Run | undefined> {
  try {
    return await findToActOn(gateway, callerNamed(person), id);
  } catch (error) {
    if (error instanceof Refusal && NOT_THEIRS.includes(error.code)) return undefined;
    throw error;
  }
}

const NOT_THEIRS: string[] = ['forbidden', 'conversation_not_found'];

/** Where everybody may answer, no stranger is written to. */
function isKnown({ channels }: Context, { owner, assignees }: State['access'], person: string): boolean {
  return personNamed(channels.people, person) !== undefined || [owner, ...assignees].includes(person);
}

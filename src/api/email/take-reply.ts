import { createHash, createHmac } from 'node:crypto';
import type { Context } from '#api/context';
import type { Post } from '#channels/email/post';
import { automaticBy, isForged } from '#channels/email/reply/automatic';
import { type Incoming, readMail } from '#channels/email/reply/read-mail';
import { findTokens, isOwnMail } from '#channels/email/reply/tokens';
import { plainLetter } from '#channels/email/returns';
import type { EmailSettings } from '#contract/channel-settings';
import { personByEmail } from '#core/people';
import type { ReadReply } from '#signing/reply';
import { answering } from './answer';
import { type MailBack, mailingBack, type Sender } from './mail-back';
import { tellOther } from './other-sender';
import type { Taken } from './taken';

/** Reads a mail and does what it says. Nothing ever goes back but to somebody who holds a genuine token and may answer by it or otherwise. */
export function takingReplies(context: Context, settings: EmailSettings, post: Post) {
  const back = mailingBack(context, settings, post);
  const answer = answering(context, back);
  return async (raw: Buffer): Promise<Taken> => {
    const mail = await readMail(raw).catch(() => undefined);
    if (!mail) return told(context, { outcome: 'ignored', reason: 'unreadable' });
    const checked = check(context, mail);
    if ('reason' in checked) return told(context, { outcome: 'ignored', reason: checked.reason });
    const { person, address, genuine } = checked;
    const [first, ...more] = genuine;
    const sender: Sender = { id: deliveryOf(context.secret, mail, raw), mail, address, token: undefined };
    // What is said to be from somebody may not be: the token shows that they got the mail.
    const isTheirs = genuine.every(({ reply }) => reply.isFor(person));
    if (!isTheirs) return told(context, await tellOther(context, back, sender, person, first.reply));
    const taken =
      more.length > 0
        ? await askWhich(context, back, sender, genuine)
        : await answer({ ...sender, token: first.token }, person, first.reply);
    const { conversation: conversationId, number } = first.reply;
    return told(context, taken, { conversationId, questionId: `question-${number}`, by: person });
  };
}

type Genuine = { token: string; reply: ReadReply };
type Checked = { reason: string } | { person: string; address: string; genuine: [Genuine, ...Genuine[]] };

/** Is it a reply that somebody wrote, to something that they were asked? */
function check({ secret, channels }: Context, mail: Incoming): Checked {
  if (isOwnMail(mail, secret)) return { reason: 'own_mail' };
  const automatic = automaticBy(mail);
  if (automatic) return { reason: automatic };
  if (isForged(mail)) return { reason: 'dmarc_fail' };
  const { tokens, genuine } = findTokens(mail, secret);
  const [first, ...more] = genuine;
  if (!first) return { reason: tokens.length > 0 ? 'forged_token' : 'no_token' };
  const [address, ...others] = mail.from;
  if (!address || others.length > 0) return { reason: 'several_senders' };
  const person = personByEmail(channels.people, address);
  return { person, address, genuine: [first, ...more] };
}

/** The same when the mail service hands the same mail over again. */
function deliveryOf(secret: string, { messageId }: Incoming, raw: Buffer): string {
  const named = messageId ?? createHash('sha256').update(raw).digest('hex');
  return createHmac('sha256', secret).update(`incoming\n${named}`).digest('hex').slice(0, 32);
}

async function askWhich(
  { linksOf }: Context,
  back: MailBack,
  sender: Sender,
  genuine: Genuine[],
): Promise<Taken> {
  const said =
    'It has the marks of more than one question in it, so it was taken for none of them. Reply to each mail by itself, with nothing of the others quoted.';
  const links = new Set(genuine.slice(0, 5).map(({ reply }) => linksOf(reply.conversation).web));
  const letter = plainLetter('Your reply was not taken', sender.address, [said], [...links]);
  return (await back(sender, letter))
    ? { outcome: 'asked_back', reason: 'several_tokens' }
    : { outcome: 'ignored', reason: 'too_many' };
}

/** Neither what was written nor any token. */
function told({ log }: Context, taken: Taken, about: object = {}): Taken {
  log.info({ ...about, ...taken }, 'a mail came in');
  return taken;
}

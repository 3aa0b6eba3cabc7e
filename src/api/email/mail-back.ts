import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import { ChannelError } from '#channels/channel';
import { mailOf } from '#channels/email/envelope';
import type { Letter } from '#channels/email/letter';
import type { Post } from '#channels/email/post';
import type { Incoming } from '#channels/email/reply/read-mail';
import type { EmailSettings } from '#contract/channel-settings';
import { Mailed } from './mailed';

/** A reply that may be answered by mail: its token is genuine, and it is from the one the token was made for. */
export interface Sender {
  /** What this delivery is known by. */
  id: string;
  mail: Incoming;
  address: string;
  /** What it answers; none where that has to be made out first. */
  token: string | undefined;
}

export type MailBack = (sender: Sender, letter: Letter) => Promise<boolean>;

/** Answers a reply in its thread, once. False where there have been too many of late. */
export function mailingBack({ secret, log, now }: Context, settings: EmailSettings, post: Post): MailBack {
  const mailed = new Mailed();
  return async ({ id, mail, address, token }, letter) => {
    if (mailed.has(id)) return true;
    const about = token ?? address;
    if (mailed.isTooMuch(about, now())) return false;
    const thread = threadOf(mail);
    try {
      await post(mailOf(settings, secret, letter, { what: `back ${id}`, to: address, token, thread }));
    } catch (error) {
      if (!(error instanceof ChannelError && error.isFinal)) throw undelivered(error as Error);
      log.warn({ reason: error.message }, 'a reply could not be answered by mail');
    }
    mailed.add(id, about, now());
    return true;
  };
}

/** The mail service tries again later, and so will this. */
function undelivered({ message }: Error): Refusal {
  return new Refusal('mail_unavailable', message);
}

const ID = /<[^<>\s]{3,250}>/g;
const REFERENCES = 10;

function threadOf({ messageId, header }: Incoming) {
  if (!messageId) return undefined;
  const earlier = header('references').join(' ').match(ID) ?? [];
  return { inReplyTo: messageId, references: [...earlier.slice(-REFERENCES), messageId] };
}

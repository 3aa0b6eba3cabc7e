import { createHmac } from 'node:crypto';
import type { EmailSettings } from '#contract/channel-settings';
import type { Question } from '#contract/question';
import { toBase32 } from '#signing/base32';
import { writeReply } from '#signing/reply';

const LOCAL_PART = 64;

/** Can mail that comes back reach Parley? */
export function takesReplies({ replyTo, inboundSecret }: EmailSettings): boolean {
  return replyTo !== undefined && inboundSecret !== undefined;
}

/** The address alone, of `Parley <parley@example.com>`. */
export function addressIn(written: string): string {
  return (/<([^<>]+)>\s*$/.exec(written)?.[1] ?? written).trim().toLowerCase();
}

/** What a reply of that person to that question is known by. */
export function replyToken(
  secret: string,
  { id, conversationId, askedAt }: Question,
  person: string,
): string {
  const number = Number(/(\d+)$/.exec(id)?.[1]);
  return writeReply(secret, { conversation: conversationId, number, person, askedAt });
}

/** Where a reply goes: the token is in the address if there is room for it, and in the ids of the thread anyway. */
export function replyAddress(replyTo: string, token: string): string {
  const at = replyTo.lastIndexOf('@');
  const local = `${replyTo.slice(0, at)}+${token}`;
  return local.length > LOCAL_PART ? replyTo : `${local}${replyTo.slice(at)}`;
}

/** The same however often the same thing is sent, so that mail programs show it once; a reply names it, and with it the token. */
export function messageId(secret: string, from: string, what: string, token?: string): string {
  const own = toBase32(createHmac('sha256', secret).update(`mail\n${what}`).digest().subarray(0, 10));
  const domain = addressIn(from).split('@').at(-1);
  return `<${token ? `${token}.` : ''}${own}@${domain}>`;
}

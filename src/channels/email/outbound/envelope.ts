import { createHmac } from 'node:crypto';
import { createReplyToken, encodeBase32 } from '#channels/email/reply-token';
import type { EmailSettings } from '#contract/channel-settings';
import type { Question } from '#contract/question';
import type { EmailContent } from './content';
import { renderEmailHtml } from './render-html';
import { renderEmailText } from './render-text';

export interface EmailThread {
  inReplyTo: string;
  references: string[];
}

export interface OutgoingEmail {
  messageId: string;
  subject: string;
  from: string;
  to: { name: string; address: string };
  replyTo: string | undefined;
  inReplyTo: string | undefined;
  references: string[];
  headers: Record<string, string>;
  text: string;
  html: string;
}

/** No program is to answer it; and others are told so, that answer while somebody is away. */
const AUTO_GENERATED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** A letter with what it takes on its way. `what` names it: the same is the same mail. */
export function createEmail(
  { from, replyTo }: EmailSettings,
  secret: string,
  letter: EmailContent,
  { what, to, token, thread }: { what: string; to: string; token?: string; thread?: EmailThread },
): OutgoingEmail {
  return {
    messageId: createMessageId(secret, from, what, token),
    subject: thread ? `Re: ${letter.subject}` : letter.subject,
    from,
    to: { name: '', address: to },
    replyTo: replyTo && token ? createReplyAddress(replyTo, token) : undefined,
    inReplyTo: thread?.inReplyTo,
    references: thread?.references ?? [],
    headers: AUTO_GENERATED_HEADERS,
    text: renderEmailText(letter),
    html: renderEmailHtml(letter),
  };
}

const MAX_LOCAL_PART_LENGTH = 64;

/** Can mail that comes back reach Parley? */
export function canReceiveReplies({ replyTo, inboundSecret }: EmailSettings): boolean {
  return replyTo !== undefined && inboundSecret !== undefined;
}

/** The address alone, of `Parley <parley@example.com>`. */
export function parseEmailAddress(written: string): string {
  return (/<([^<>]+)>\s*$/.exec(written)?.[1] ?? written).trim().toLowerCase();
}

/** What a reply of that person to that question is known by. */
export function createQuestionReplyToken(
  secret: string,
  { id, conversationId, askedAt }: Question,
  person: string,
): string {
  const number = Number(/(\d+)$/.exec(id)?.[1]);
  return createReplyToken(secret, { conversation: conversationId, number, person, askedAt });
}

/** Where a reply goes: the token is in the address if there is room for it, and in the ids of the thread anyway. */
function createReplyAddress(replyTo: string, token: string): string {
  const at = replyTo.lastIndexOf('@');
  const local = `${replyTo.slice(0, at)}+${token}`;
  return local.length > MAX_LOCAL_PART_LENGTH ? replyTo : `${local}${replyTo.slice(at)}`;
}

/** The same however often the same thing is sent, so that mail programs show it once; a reply names it, and with it the token. */
export function createMessageId(secret: string, from: string, what: string, token?: string): string {
  const own = encodeBase32(createHmac('sha256', secret).update(`mail\n${what}`).digest().subarray(0, 10));
  const domain = parseEmailAddress(from).split('@').at(-1);
  return `<${token ? `${token}.` : ''}${own}@${domain}>`;
}

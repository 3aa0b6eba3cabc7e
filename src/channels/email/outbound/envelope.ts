import { createHmac } from 'node:crypto';
import { createReplyToken } from '#channels/email/reply-token';
import type { EmailSettings } from '#channels/email/settings';
import type { Question } from '#contract/question';
import type { EmailContent } from './content';
import { renderEmailHtml } from './render-html';
import { renderEmailText } from './render-text';

export interface EmailThread {
  inReplyTo: string;
  references: string[];
}

export type OutgoingEmail = ReturnType<typeof createEmail>;

/** Tells mail programs not to send automatic replies. */
const AUTO_GENERATED_HEADERS = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** Creates an email with headers and threading. `key` is an idempotency key: it determines the message id. */
export function createEmail(
  { from, replyTo }: EmailSettings,
  secret: string,
  content: EmailContent,
  { key, to, token, thread }: { key: string; to: string; token?: string; thread?: EmailThread },
) {
  return {
    messageId: createMessageId(secret, from, key, token),
    subject: thread ? `Re: ${content.subject}` : content.subject,
    from,
    to: { name: '', address: to },
    replyTo: replyTo && token ? createReplyAddress(replyTo, token) : undefined,
    inReplyTo: thread?.inReplyTo,
    references: thread?.references ?? [],
    headers: AUTO_GENERATED_HEADERS,
    text: renderEmailText(content),
    html: renderEmailHtml(content),
  };
}

const MAX_LOCAL_PART_LENGTH = 64;

export function canReceiveReplies({ replyTo, inboundSecret }: EmailSettings): boolean {
  return replyTo !== undefined && inboundSecret !== undefined;
}

/** Returns the bare address of `Parley <parley@example.com>`. */
export function parseEmailAddress(sender: string): string {
  return (/<([^<>]+)>\s*$/.exec(sender)?.[1] ?? sender).trim().toLowerCase();
}

/** Creates the token that identifies a reply of this person to this question. */
export function createQuestionReplyToken(secret: string, { id, conversationId, askedAt }: Question, person: string) {
  const number = Number(/(\d+)$/.exec(id)?.[1]);
  return createReplyToken(secret, { conversationId, questionNumber: number, person, askedAt });
}

/** Creates the reply address. The token is in it if there is room, and in the message ids of the thread in any case. */
function createReplyAddress(replyTo: string, token: string): string {
  const at = replyTo.lastIndexOf('@');
  const local = `${replyTo.slice(0, at)}+${token}`;
  return local.length > MAX_LOCAL_PART_LENGTH ? replyTo : `${local}${replyTo.slice(at)}`;
}

/**
 * Creates a message id. It is deterministic, so that mail programs show a repeated email once. A reply refers to it,
 * and so returns the token in it.
 */
export function createMessageId(secret: string, from: string, key: string, token?: string): string {
  const hash = createHmac('sha256', secret).update(`mail\n${key}`).digest('hex').slice(0, 20);
  const domain = parseEmailAddress(from).split('@').at(-1);
  return `<${token ? `${token}.` : ''}${hash}@${domain}>`;
}

import type { EmailSettings } from '#contract/channel-settings';
import { messageId, replyAddress } from './address';
import { asHtml } from './html';
import type { Letter } from './letter';
import { asText } from './text';

export interface Thread {
  inReplyTo: string;
  references: string[];
}

export interface Mail {
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
const AUTOMATIC = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };

/** A letter with what it takes on its way. `what` names it: the same is the same mail. */
export function mailOf(
  { from, replyTo }: EmailSettings,
  secret: string,
  letter: Letter,
  { what, to, token, thread }: { what: string; to: string; token?: string; thread?: Thread },
): Mail {
  return {
    messageId: messageId(secret, from, what, token),
    subject: thread ? `Re: ${letter.subject}` : letter.subject,
    from,
    to: { name: '', address: to },
    replyTo: replyTo && token ? replyAddress(replyTo, token) : undefined,
    inReplyTo: thread?.inReplyTo,
    references: thread?.references ?? [],
    headers: AUTOMATIC,
    text: asText(letter),
    html: asHtml(letter),
  };
}

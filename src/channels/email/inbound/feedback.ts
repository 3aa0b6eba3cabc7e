import { ChannelError } from '#channels/channel';
import {
  createAllFieldParts,
  createEmailFooter,
  createEmailHeading,
  createEmailSubject,
  createParagraph,
  type EmailAnswerOptions,
  formatEmailDeadline,
  formatOutcomeSentence,
  listOutcomeFacts,
  MAX_PREVIEW_LENGTH,
} from '#channels/email/outbound/compose';
import {
  type EmailContent,
  type EmailPart,
  escapeHiddenCharacters,
  toSingleLine,
  truncateCharacters,
} from '#channels/email/outbound/content';
import { createEmail } from '#channels/email/outbound/envelope';
import { createReplyHint } from '#channels/email/outbound/reply-instructions';
import type { EmailSettings } from '#channels/email/settings';
import type { SendEmail } from '#channels/email/transport';
import { type InboundDeps, InboundError } from '#channels/inbound';
import type { Question } from '#contract/question';
import type { IncomingEmail } from './parse-email';

/** The sender of a reply that may get feedback by email, since they hold a genuine token. */
export interface ReplySender {
  /** Identifies this delivery, so that a retry gets no second feedback. */
  deliveryId: string;
  mail: IncomingEmail;
  address: string;
  /** The reply token; undefined unless the reply is about exactly one question. */
  token: string | undefined;
}

export type SendFeedbackEmail = (sender: ReplySender, content: EmailContent) => Promise<boolean>;

/** Sends feedback in the thread of a reply, once per delivery. Returns false if the rate limit is reached. */
export function createFeedbackSender(
  { secret, log, now }: InboundDeps,
  settings: EmailSettings,
  sendEmail: SendEmail,
): SendFeedbackEmail {
  const limiter = new FeedbackLimiter();
  return async ({ deliveryId, mail, address, token }, content) => {
    if (limiter.has(deliveryId)) return true;
    const topic = token ?? address;
    if (limiter.isOverLimit(topic, now())) return false;
    const thread = replyThreadOf(mail);
    try {
      await sendEmail(
        createEmail(settings, secret, content, { key: `back ${deliveryId}`, to: address, token, thread }),
      );
    } catch (error) {
      // The mail service retries the delivery, and with it the feedback.
      if (!(error instanceof ChannelError && error.isPermanent))
        throw new InboundError('mail_unavailable', (error as Error).message);
      log.warn({ reason: error.message }, 'could not email feedback on a reply');
    }
    limiter.add(deliveryId, topic, now());
    return true;
  };
}

const MESSAGE_ID = /<[^<>\s]{3,250}>/g;
const MAX_REFERENCES = 10;

function replyThreadOf({ messageId, header }: IncomingEmail) {
  if (!messageId) return undefined;
  const earlier = header('references').join(' ').match(MESSAGE_ID) ?? [];
  return { inReplyTo: messageId, references: [...earlier.slice(-MAX_REFERENCES), messageId] };
}

const MAX_REMEMBERED = 2_000;
const MAX_PER_HOUR = 5;
const HOUR_IN_MS = 3_600_000;

/** Remembers sent feedback: a repeated delivery gets one email, and two programs cannot email each other forever. */
class FeedbackLimiter {
  private readonly sentIds = new Set<string>();
  private readonly sentTimes = new Map<string, number[]>();

  has(deliveryId: string): boolean {
    return this.sentIds.has(deliveryId);
  }

  /** True if the topic got more feedback within the hour than a person would need. */
  isOverLimit(topic: string, now: number): boolean {
    return this.recent(topic, now).length >= MAX_PER_HOUR;
  }

  add(deliveryId: string, topic: string, now: number): void {
    this.sentIds.add(deliveryId);
    this.sentTimes.set(topic, [...this.recent(topic, now), now]);
    evictOldest(this.sentIds);
    evictOldest(this.sentTimes);
  }

  private recent(topic: string, now: number): number[] {
    return (this.sentTimes.get(topic) ?? []).filter((time) => now - time < HOUR_IN_MS);
  }
}

function evictOldest(entries: Set<string> | Map<string, unknown>): void {
  const [oldest] = entries.keys();
  if (entries.size > MAX_REMEMBERED && oldest !== undefined) entries.delete(oldest);
}

/** What feedback on a reply to one question is composed from. */
export interface ReplyFeedbackContext {
  question: Question;
  title: string;
  /** The sender's address. */
  address: string;
  answerOptions: EmailAnswerOptions;
}

const MAX_QUOTED_LENGTH = 600;

/** Composes the feedback on an unclear reply: what was read, what would fit, and where else to answer. */
export function composeUnclearReplyEmail(
  context: ReplyFeedbackContext,
  problem: string,
  text: string,
  now: number,
): EmailContent {
  const { question, answerOptions } = context;
  const shownText = text.trim() || '(nothing)';
  return composeFeedbackEmail(context, 'Your reply was not accepted. The question is still open.', [
    createParagraph(problem),
    {
      kind: 'preformatted',
      label: 'Parley read your reply as:',
      text: truncateCharacters(escapeHiddenCharacters(shownText), MAX_QUOTED_LENGTH),
    },
    ...createAllFieldParts(question, answerOptions.link),
    ...(answerOptions.link ? [{ kind: 'button' as const, label: 'Answer', url: answerOptions.link }] : []),
    ...createReplyHint(question, 'Or reply again with'),
    createParagraph(formatEmailDeadline(question, now)),
  ]);
}

/** Composes the feedback on a reply that arrived after the question was resolved. */
export function composeLateReplyEmail(context: ReplyFeedbackContext): EmailContent {
  return composeFeedbackEmail(context, 'Too late: your reply was not used. The question was already closed.', [
    createParagraph(formatOutcomeSentence(context.question)),
    { kind: 'facts', facts: listOutcomeFacts(context.question) },
  ]);
}

export function composeQueuedReplyEmail(context: ReplyFeedbackContext): EmailContent {
  return composeFeedbackEmail(context, 'Your reply is saved.', [
    createParagraph(
      'Waiting for a worker to pick it up. You will get an email when that happens, so there is no need to reply again.',
    ),
  ]);
}

function composeFeedbackEmail(context: ReplyFeedbackContext, headline: string, parts: EmailPart[]): EmailContent {
  return {
    subject: createEmailSubject(context),
    preview: truncateCharacters(headline, MAX_PREVIEW_LENGTH),
    heading: createEmailHeading(context),
    parts: [{ kind: 'question', text: headline }, ...parts],
    footer: createEmailFooter(describeRecipientReason(context.address), context.answerOptions),
  };
}

/** Composes feedback that is not about one question. */
export function composePlainFeedbackEmail(
  subject: string,
  address: string,
  sentences: string[],
  links: string[],
): EmailContent {
  return {
    subject,
    preview: truncateCharacters(sentences.join(' '), MAX_PREVIEW_LENGTH),
    heading: { from: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: subject },
      ...sentences.map(createParagraph),
      ...links.map((url) => ({ kind: 'button' as const, label: 'Open in Parley', url })),
    ],
    footer: [toSingleLine(describeRecipientReason(address))],
  };
}

function describeRecipientReason(address: string): string {
  return `You received this because a reply to Parley was sent from ${address}.`;
}

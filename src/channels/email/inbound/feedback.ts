import type { ApiDeps } from '#api/dependencies';
import { ApiError } from '#api/middleware/errors';
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
import { describeReplyExtras, describeReplyFormat } from '#channels/email/outbound/reply-instructions';
import type { SendEmail } from '#channels/email/transport';
import type { EmailSettings } from '#contract/channel-settings';
import type { Question } from '#contract/question';
import type { IncomingEmail } from './parse-email';

/** A reply that may be answered by mail: its token is genuine, and it is from the one the token was made for. */
export interface ReplySender {
  /** What this delivery is known by. */
  id: string;
  mail: IncomingEmail;
  address: string;
  /** What it answers; none where that has to be made out first. */
  token: string | undefined;
}

export type SendFeedbackEmail = (sender: ReplySender, letter: EmailContent) => Promise<boolean>;

/** Answers a reply in its thread, once. False where there have been too many of late. */
export function createFeedbackSender(
  { secret, log, now }: ApiDeps,
  settings: EmailSettings,
  post: SendEmail,
): SendFeedbackEmail {
  const mailed = new FeedbackLimiter();
  return async ({ id, mail, address, token }, letter) => {
    if (mailed.has(id)) return true;
    const about = token ?? address;
    if (mailed.isTooMuch(about, now())) return false;
    const thread = replyThreadOf(mail);
    try {
      await post(createEmail(settings, secret, letter, { what: `back ${id}`, to: address, token, thread }));
    } catch (error) {
      if (!(error instanceof ChannelError && error.isFinal)) throw createMailUnavailableError(error as Error);
      log.warn({ reason: error.message }, 'a reply could not be answered by mail');
    }
    mailed.add(id, about, now());
    return true;
  };
}

/** The mail service tries again later, and so will this. */
function createMailUnavailableError({ message }: Error): ApiError {
  return new ApiError('mail_unavailable', message);
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

/** What went back to people, so that a delivery that comes twice gets one mail, and two programs never write to each other for ever. */
class FeedbackLimiter {
  private readonly replied = new Set<string>();
  private readonly times = new Map<string, number[]>();

  has(incoming: string): boolean {
    return this.replied.has(incoming);
  }

  /** More than a person would need, about one question. */
  isTooMuch(about: string, now: number): boolean {
    return this.recent(about, now).length >= MAX_PER_HOUR;
  }

  add(incoming: string, about: string, now: number): void {
    this.replied.add(incoming);
    this.times.set(about, [...this.recent(about, now), now]);
    evictOldest(this.replied);
    evictOldest(this.times);
  }

  private recent(about: string, now: number): number[] {
    return (this.times.get(about) ?? []).filter((at) => now - at < HOUR_IN_MS);
  }
}

function evictOldest(kept: Set<string> | Map<string, unknown>): void {
  const [oldest] = kept.keys();
  if (kept.size > MAX_REMEMBERED && oldest !== undefined) kept.delete(oldest);
}

/** What goes back to somebody whose reply was not simply taken. */
export interface ReplyFeedbackContext {
  question: Question;
  title: string;
  /** Where the reply came from. */
  place: string;
  ways: EmailAnswerOptions;
}

const MAX_QUOTED_LENGTH = 600;

/** It did not fit: what was read, what would fit, and where else to answer. */
export function composeUnclearReplyEmail(
  about: ReplyFeedbackContext,
  problems: string[],
  words: string,
  now: number,
): EmailContent {
  const { question, ways } = about;
  const read = words.trim() || '(nothing)';
  return composeFeedbackEmail(about, 'Your reply was not taken, and the question is still open.', [
    ...problems.map(createParagraph),
    {
      kind: 'exact',
      label: 'What Parley read in it:',
      text: truncateCharacters(escapeHiddenCharacters(read), MAX_QUOTED_LENGTH),
    },
    ...createAllFieldParts(question, ways.link),
    ...(ways.link ? [{ kind: 'button' as const, label: 'Answer', url: ways.link }] : []),
    {
      kind: 'hint',
      text: `Or reply again, with ${describeReplyFormat(question)}. ${describeReplyExtras(question)}`,
    },
    createParagraph(formatEmailDeadline(question, now)),
  ]);
}

/** Somebody else was first, or it was too late. */
export function composeLateReplyEmail(about: ReplyFeedbackContext): EmailContent {
  return composeFeedbackEmail(about, 'Your reply changed nothing: the question was settled before.', [
    createParagraph(formatOutcomeSentence(about.question)),
    { kind: 'facts', facts: listOutcomeFacts(about.question) },
  ]);
}

export function composeQueuedReplyEmail(about: ReplyFeedbackContext): EmailContent {
  return composeFeedbackEmail(about, 'Your reply is kept.', [
    createParagraph(
      'Nothing is there at the moment to act on it. That will happen by itself, and you will get a mail then: there is no need to send it again.',
    ),
  ]);
}

function composeFeedbackEmail(about: ReplyFeedbackContext, sentence: string, parts: EmailPart[]): EmailContent {
  return {
    subject: createEmailSubject(about),
    preview: truncateCharacters(sentence, MAX_PREVIEW_LENGTH),
    heading: createEmailHeading(about),
    parts: [{ kind: 'question', text: sentence }, ...parts],
    footer: createEmailFooter(describeRecipientReason(about.place), about.ways),
  };
}

/** Where there is no one question to speak of. */
export function composePlainFeedbackEmail(
  subject: string,
  place: string,
  sentences: string[],
  links: string[],
): EmailContent {
  return {
    subject,
    preview: truncateCharacters(sentences.join(' '), MAX_PREVIEW_LENGTH),
    heading: { who: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: subject },
      ...sentences.map(createParagraph),
      ...links.map((url) => ({ kind: 'button' as const, label: 'See it in Parley', url })),
    ],
    footer: [toSingleLine(describeRecipientReason(place))],
  };
}

function describeRecipientReason(place: string): string {
  return `You get this at ${place} because a reply to Parley came from there.`;
}

import type { ChannelSender, DeliveryRef, NotificationContext, OutgoingNotification } from '#channels/channel';
import { findPerson, findPersonNameByEmail, listNamesOfPerson } from '#channels/people';
import type { Person } from '#contract/people';
import type { Question } from '#contract/question';
import { type ConversationState, EVERYBODY } from '#core/conversation/state';
import {
  composeOutcomeEmail,
  composeQuestionEmail,
  createEmailAnswerLink,
  type EmailAnswerOptions,
} from './outbound/compose';
import type { EmailContent } from './outbound/content';
import {
  canReceiveReplies,
  createEmail,
  createMessageId,
  createQuestionReplyToken,
  type EmailThread,
  parseEmailAddress,
} from './outbound/envelope';
import type { EmailSettings } from './settings';
import { createEmailTransport, type SendEmail } from './transport';

/** The known people, and whether everyone may answer. */
export interface EmailDirectory {
  people: readonly Person[];
  allowAnyone: boolean;
}

/** How an email can be answered, as its delivery ref records it. */
const BY_REPLY = 'reply';
const BY_LINK = 'link';

/**
 * Creates a sender that notifies people by email. A sent email cannot change, so the outcome follows in the same
 * thread.
 */
export function createEmailSender(
  settings: EmailSettings,
  { people, allowAnyone }: EmailDirectory,
  secret: string,
  sendEmail: SendEmail = createEmailTransport(settings.smtpUrl),
): ChannelSender {
  const answerOptionsFor = (notification: OutgoingNotification): EmailAnswerOptions => {
    const person = findPersonNameByEmail(people, notification.target);
    if (!allowAnyone && !canRecipientAnswer(notification.access, person, people))
      return { link: undefined, token: undefined };
    const token = canReceiveReplies(settings)
      ? createQuestionReplyToken(secret, notification.question, person)
      : undefined;
    const isRevoked = [person, EVERYBODY].some((name) => notification.linksRevokedFor.includes(name));
    return {
      link: isRevoked ? undefined : createEmailAnswerLink(secret, notification, person),
      token,
      canAnswer: true,
    };
  };
  const sendQuestion = async (notification: OutgoingNotification, thread?: EmailThread): Promise<DeliveryRef> => {
    const answerOptions = answerOptionsFor(notification);
    const { id: key, target: to } = notification;
    const mail = createEmail(settings, secret, composeQuestionEmail(notification, answerOptions, Date.now()), {
      key,
      to,
      token: answerOptions.token,
      thread,
    });
    await sendEmail(mail);
    return { sent: key, by: answerOptions.token ? BY_REPLY : BY_LINK };
  };
  /**
   * Returns the thread of the first email. Its message id is computed again, since it holds the token, which must not
   * be in a workflow history.
   */
  const threadFor = ({ sent, by }: DeliveryRef, question: Question, person: string): EmailThread | undefined => {
    if (!sent) return undefined;
    const token = by === BY_REPLY ? createQuestionReplyToken(secret, question, person) : undefined;
    const messageId = createMessageId(secret, settings.from, sent, token);
    return { inReplyTo: messageId, references: [messageId] };
  };
  return {
    name: 'email',
    send: (notification) => sendQuestion(notification),
    async remind(notification, firstCopy) {
      const thread = threadFor(firstCopy, notification.question, findPersonNameByEmail(people, notification.target));
      const newCopy = await sendQuestion(notification, thread);
      return thread ? firstCopy : newCopy;
    },
    async updateCopy({ ref, ...copy }) {
      const person = findPersonNameByEmail(people, copy.target);
      const thread = threadFor(ref, copy.question, person);
      if (!thread || hasSeenOutcome(copy, person)) return;
      // Includes the token again, so that a late reply gets feedback; a recipient who had none gets none.
      const token = ref.by === BY_REPLY ? createQuestionReplyToken(secret, copy.question, person) : undefined;
      const delivery = { key: copy.id, to: copy.target, token, thread };
      await sendEmail(createEmail(settings, secret, composeOutcomeEmail(copy), delivery));
    },
    async test(target) {
      const to = target || parseEmailAddress(settings.from);
      await sendEmail(createEmail(settings, secret, createTestEmail(settings), { key: `test ${Date.now()}`, to }));
      return `Test email to ${to} accepted by ${new URL(settings.smtpUrl).host}.`;
    },
  };
}

/** Returns whether the recipient answered on the answer page, and so saw the outcome there. */
function hasSeenOutcome({ question: { outcome } }: NotificationContext, person: string): boolean {
  return outcome?.via === 'link' && outcome.by === person;
}

/** Returns whether the recipient may answer, as far as the channel can tell. Receiving the email grants no access. */
function canRecipientAnswer(
  { owner, assignees }: ConversationState['access'],
  person: string,
  people: readonly Person[],
): boolean {
  const names = listNamesOfPerson(people, person);
  if (names.some((name) => owner === name || assignees.includes(name))) return true;
  return assignees.includes(EVERYBODY) && findPerson(people, person) !== undefined;
}

/** Creates a test email. */
function createTestEmail(settings: EmailSettings): EmailContent {
  const replyNote = canReceiveReplies(settings)
    ? `Replies to ${settings.replyTo} answer questions.`
    : 'Replies are not accepted. To accept them, set PARLEY_EMAIL_REPLY_TO and PARLEY_EMAIL_SECRET.';
  return {
    subject: 'Test email from Parley',
    preview: 'Email from Parley arrives here.',
    heading: { from: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: 'Email from Parley arrives here.' },
      {
        kind: 'paragraph',
        text: `Questions from agents are sent to this address, with a link to answer. ${replyNote}`,
      },
    ],
    footer: ['Your administrator sent this email to test Parley.'],
  };
}

import type { Channel, DeliveryRef, NotificationContext, OutgoingNotification } from '#channels/channel';
import { findPerson, findPersonNameByEmail, listNamesOfPerson } from '#channels/people';
import type { EmailSettings, Person } from '#contract/channel-settings';
import { EVERYBODY } from '#contract/permissions';
import type { Question } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
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
} from './outbound/envelope';
import { createEmailTransport, type SendEmail } from './transport';

/** Who is who, and whether everybody may answer. */
export interface EmailDirectory {
  people: readonly Person[];
  isOpen: boolean;
}

/** How a mail can be answered, as its ref has it. */
const BY_REPLY = 'reply';
const BY_LINK = 'link';

/** Tells people by mail. A mail cannot be changed, so what becomes of a question follows in the same thread. */
export function createEmailChannel(
  settings: EmailSettings,
  { people, isOpen }: EmailDirectory,
  secret: string,
  post: SendEmail = createEmailTransport(settings.smtpUrl),
): Channel {
  const waysOf = (notice: OutgoingNotification): EmailAnswerOptions => {
    const person = findPersonNameByEmail(people, notice.place);
    if (!isOpen && !canRecipientAnswer(notice.access, person, people)) return { link: undefined, token: undefined };
    const token = canReceiveReplies(settings) ? createQuestionReplyToken(secret, notice.question, person) : undefined;
    const isRevoked = [person, EVERYBODY].some((name) => notice.revoked.includes(name));
    return {
      link: isRevoked ? undefined : createEmailAnswerLink(secret, notice, person),
      token,
      isTheirs: true,
    };
  };
  const ask = async (notice: OutgoingNotification, thread?: EmailThread): Promise<DeliveryRef> => {
    const ways = waysOf(notice);
    const { id: what, place: to } = notice;
    const mail = createEmail(settings, secret, composeQuestionEmail(notice, ways, Date.now()), {
      what,
      to,
      token: ways.token,
      thread,
    });
    await post(mail);
    return { sent: what, by: ways.token ? BY_REPLY : BY_LINK };
  };
  /** The mail that a copy is: its id is made again, since it has the token in it, and refs are kept in histories. */
  const threadOf = ({ sent, by }: DeliveryRef, question: Question, person: string): EmailThread | undefined => {
    if (!sent) return undefined;
    const token = by === BY_REPLY ? createQuestionReplyToken(secret, question, person) : undefined;
    const first = createMessageId(secret, settings.from, sent, token);
    return { inReplyTo: first, references: [first] };
  };
  return {
    name: 'email',
    send: (notice) => ask(notice),
    async remind(notice, first) {
      const thread = threadOf(first, notice.question, findPersonNameByEmail(people, notice.place));
      const sent = await ask(notice, thread);
      return thread ? first : sent;
    },
    async settle({ ref, ...copy }) {
      const person = findPersonNameByEmail(people, copy.place);
      const thread = threadOf(ref, copy.question, person);
      if (!thread || hasSeenOutcome(copy, person)) return;
      // Also now: a reply that comes too late is told so. Whoever could not answer before is given nothing to do it with.
      const token = ref.by === BY_REPLY ? createQuestionReplyToken(secret, copy.question, person) : undefined;
      const way = { what: copy.id, to: copy.place, token, thread };
      await post(createEmail(settings, secret, composeOutcomeEmail(copy), way));
    },
    async test(place) {
      const to = place || bareAddress(settings.from);
      await post(createEmail(settings, secret, createTestEmail(settings), { what: `test ${Date.now()}`, to }));
      return `A trial mail to ${to} was taken by ${new URL(settings.smtpUrl).host}.`;
    },
  };
}

function bareAddress(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from;
}

/** The page told them, when they answered on it. */
function hasSeenOutcome({ question: { outcome } }: NotificationContext, person: string): boolean {
  return outcome?.via === 'link' && outcome.by === person;
}

/** May they answer, as far as this can be told from here? Where a mail goes makes nobody one of them. */
function canRecipientAnswer(
  { owner, assignees }: ConversationState['access'],
  person: string,
  people: readonly Person[],
): boolean {
  const names = listNamesOfPerson(people, person);
  if (names.some((name) => owner === name || assignees.includes(name))) return true;
  return assignees.includes(EVERYBODY) && findPerson(people, person) !== undefined;
}

/** Shows that mail arrives. */
function createTestEmail(settings: EmailSettings): EmailContent {
  const replies = canReceiveReplies(settings)
    ? `Replies to questions go to ${settings.replyTo}, and answer them.`
    : 'Replies to questions are not taken: set PARLEY_EMAIL_REPLY_TO and PARLEY_EMAIL_SECRET for that.';
  return {
    subject: 'A trial mail from Parley',
    preview: 'Mail from Parley arrives here.',
    heading: { who: 'Parley', title: '' },
    parts: [
      { kind: 'question', text: 'Mail from Parley arrives here.' },
      {
        kind: 'paragraph',
        text: `Questions that agents ask will come this way, with a link to answer. ${replies}`,
      },
    ],
    footer: ['Somebody who runs this Parley sent it, to try it out.'],
  };
}

import { createHash, createHmac } from 'node:crypto';
import type { ApiDeps } from '#api/dependencies';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import type { Execution } from '#api/temporal/execution';
import type { VerifiedReplyToken } from '#channels/email/reply-token';
import type { SendEmail } from '#channels/email/transport';
import { findPerson, findPersonNameByEmail } from '#channels/people';
import type { EmailSettings } from '#contract/channel-settings';
import type { ConversationState } from '#core/conversation/state';
import { detectAutomaticEmail, hasFailedDmarc, isLikelyAwayReply } from './auto-reply-detection';
import { composePlainFeedbackEmail, createFeedbackSender, type ReplySender, type SendFeedbackEmail } from './feedback';
import { findReplyTokens, isSentByParley } from './find-reply-token';
import { type IncomingEmail, parseIncomingEmail } from './parse-email';
import { createReplySubmitter, type InboundEmailResult } from './submit-reply';

/** Reads a mail and does what it says. Nothing ever goes back but to somebody who holds a genuine token and may answer by it or otherwise. */
export function createReplyHandler(context: ApiDeps, settings: EmailSettings, post: SendEmail) {
  const back = createFeedbackSender(context, settings, post);
  const answer = createReplySubmitter(context, back);
  return async (raw: Buffer): Promise<InboundEmailResult> => {
    const mail = await parseIncomingEmail(raw).catch(() => undefined);
    if (!mail) return logResult(context, { outcome: 'ignored', reason: 'unreadable' });
    const checked = checkReply(context, mail);
    if ('reason' in checked) return logResult(context, { outcome: 'ignored', reason: checked.reason });
    const { person, address, genuine } = checked;
    const [first, ...more] = genuine;
    const sender: ReplySender = {
      id: createDeliveryId(context.secret, mail, raw),
      mail,
      address,
      token: undefined,
    };
    // What is said to be from somebody may not be: the token shows that they got the mail.
    const isTheirs = genuine.every(({ reply }) => reply.isFor(person));
    if (!isTheirs) return logResult(context, await respondToWrongSender(context, back, sender, person, first.reply));
    const taken =
      more.length > 0
        ? await askWhichQuestion(context, back, sender, genuine)
        : await answer({ ...sender, token: first.token }, person, first.reply);
    const { conversation: conversationId, number } = first.reply;
    return logResult(context, taken, { conversationId, questionId: `question-${number}`, by: person });
  };
}

type GenuineToken = { token: string; reply: VerifiedReplyToken };
type ReplyCheck = { reason: string } | { person: string; address: string; genuine: [GenuineToken, ...GenuineToken[]] };

/** Is it a reply that somebody wrote, to something that they were asked? */
function checkReply({ secret, channels }: ApiDeps, mail: IncomingEmail): ReplyCheck {
  if (isSentByParley(mail, secret)) return { reason: 'own_mail' };
  const automatic = detectAutomaticEmail(mail);
  if (automatic) return { reason: automatic };
  if (hasFailedDmarc(mail)) return { reason: 'dmarc_fail' };
  const { tokens, genuine } = findReplyTokens(mail, secret);
  const [first, ...more] = genuine;
  if (!first) return { reason: tokens.length > 0 ? 'forged_token' : 'no_token' };
  const [address, ...others] = mail.from;
  if (!address || others.length > 0) return { reason: 'several_senders' };
  const person = findPersonNameByEmail(channels.people, address);
  return { person, address, genuine: [first, ...more] };
}

/** The same when the mail service hands the same mail over again. */
function createDeliveryId(secret: string, { messageId }: IncomingEmail, raw: Buffer): string {
  const named = messageId ?? createHash('sha256').update(raw).digest('hex');
  return createHmac('sha256', secret).update(`incoming\n${named}`).digest('hex').slice(0, 32);
}

async function askWhichQuestion(
  { linksOf }: ApiDeps,
  back: SendFeedbackEmail,
  sender: ReplySender,
  genuine: GenuineToken[],
): Promise<InboundEmailResult> {
  const said =
    'It has the marks of more than one question in it, so it was taken for none of them. Reply to each mail by itself, with nothing of the others quoted.';
  const links = new Set(genuine.slice(0, 5).map(({ reply }) => linksOf(reply.conversation).web));
  const letter = composePlainFeedbackEmail('Your reply was not taken', sender.address, [said], [...links]);
  return (await back(sender, letter))
    ? { outcome: 'asked_back', reason: 'several_tokens' }
    : { outcome: 'ignored', reason: 'too_many' };
}

/** Neither what was written nor any token. */
function logResult({ log }: ApiDeps, taken: InboundEmailResult, about: object = {}): InboundEmailResult {
  log.info({ ...about, ...taken }, 'a mail came in');
  return taken;
}

const WRONG_SENDER_TEXT = [
  'The mail that you replied to was sent to another address, and only a reply from there counts.',
  'You may answer the question yourself, though: do so here.',
];

/** A reply to what somebody else was asked is never taken. Who may answer themselves is told where; all others hear nothing. */
async function respondToWrongSender(
  context: ApiDeps,
  back: SendFeedbackEmail,
  sender: ReplySender,
  person: string,
  { conversation }: VerifiedReplyToken,
): Promise<InboundEmailResult> {
  const ignored: InboundEmailResult = { outcome: 'ignored', reason: 'other_sender' };
  if (isLikelyAwayReply(sender.mail)) return ignored;
  const run = await findActionableExecution(context, person, conversation);
  if (!run || !isKnownPerson(context, run.memo.start.access, person)) return ignored;
  const links = [context.linksOf(conversation).web];
  const letter = composePlainFeedbackEmail('Your reply was not taken', sender.address, WRONG_SENDER_TEXT, links);
  return (await back(sender, letter)) ? { ...ignored, outcome: 'asked_back' } : ignored;
}

async function findActionableExecution(
  { gateway, callerNamed }: ApiDeps,
  person: string,
  id: string,
): Promise<Execution | undefined> {
  try {
    return await findActionable(gateway, callerNamed(person), id);
  } catch (error) {
    if (error instanceof ApiError && NO_ACCESS_CODES.includes(error.code)) return undefined;
    throw error;
  }
}

const NO_ACCESS_CODES: string[] = ['forbidden', 'conversation_not_found'];

/** Where everybody may answer, no stranger is written to. */
function isKnownPerson(
  { channels }: ApiDeps,
  { owner, assignees }: ConversationState['access'],
  person: string,
): boolean {
  return findPerson(channels.people, person) !== undefined || [owner, ...assignees].includes(person);
}

import { createHash, createHmac } from 'node:crypto';
import type { VerifiedReplyToken } from '#channels/email/reply-token';
import type { EmailSettings } from '#channels/email/settings';
import type { SendEmail } from '#channels/email/transport';
import type { InboundDeps } from '#channels/inbound';
import { findPerson, findPersonNameByEmail } from '#channels/people';
import type { ConversationState } from '#core/conversation/state';
import { detectAutomaticEmail, hasFailedDmarc, isLikelyAwayReply } from './auto-reply-detection';
import { composePlainFeedbackEmail, createFeedbackSender, type ReplySender, type SendFeedbackEmail } from './feedback';
import { findReplyTokens, findTokensInRaw, isSentByParley, type ReplyTokens } from './find-reply-token';
import type { IncomingEmail } from './parse-email';
import { parseIncomingEmail } from './parse-in-thread';
import { createReplySubmitter, type InboundEmailResult } from './submit-reply';

/**
 * Creates a handler that submits an incoming email as an answer. Feedback goes only to a sender with a genuine token
 * who may answer, by it or otherwise.
 */
export function createReplyHandler(deps: InboundDeps, settings: EmailSettings, sendEmail: SendEmail) {
  const sendFeedback = createFeedbackSender(deps, settings, sendEmail);
  const submitReply = createReplySubmitter(deps, sendFeedback);
  return async (raw: Buffer): Promise<InboundEmailResult> => {
    const found = findTokensInRaw(raw, deps.secret);
    if (found.verified.length === 0)
      return logResult(deps, { outcome: 'ignored', reason: describeMissingToken(found) });
    const mail = await parseIncomingEmail(raw).catch(() => undefined);
    if (!mail) return logResult(deps, { outcome: 'ignored', reason: 'unreadable' });
    const check = checkReply(deps, mail);
    if ('reason' in check) return logResult(deps, { outcome: 'ignored', reason: check.reason });
    const { person, address, verified } = check;
    const [first, ...more] = verified;
    const sender: ReplySender = {
      deliveryId: createDeliveryId(deps.secret, mail, raw),
      mail,
      address,
      token: undefined,
    };
    // A sender address can be forged; the token proves that the sender received the email.
    const isFromRecipient = verified.every(({ claims }) => claims.isFor(person));
    if (!isFromRecipient)
      return logResult(deps, await respondToWrongSender(deps, sendFeedback, sender, person, first.claims));
    const result =
      more.length > 0
        ? await askWhichQuestion(deps, sendFeedback, sender, verified)
        : await submitReply({ ...sender, token: first.token }, person, first.claims);
    const { conversationId, questionNumber } = first.claims;
    return logResult(deps, result, { conversationId, questionId: `question-${questionNumber}`, by: person });
  };
}

type GenuineToken = { token: string; claims: VerifiedReplyToken };
type ReplyCheck = { reason: string } | { person: string; address: string; verified: [GenuineToken, ...GenuineToken[]] };

/** Checks that a person wrote the email, and that it holds a genuine token; otherwise says why it is ignored. */
function checkReply({ secret, people }: InboundDeps, mail: IncomingEmail): ReplyCheck {
  if (isSentByParley(mail, secret)) return { reason: 'own_mail' };
  const automatic = detectAutomaticEmail(mail);
  if (automatic) return { reason: automatic };
  if (hasFailedDmarc(mail)) return { reason: 'dmarc_fail' };
  const tokens = findReplyTokens(mail, secret);
  const [first, ...more] = tokens.verified;
  if (!first) return { reason: describeMissingToken(tokens) };
  const [address, ...others] = mail.from;
  if (!address || others.length > 0) return { reason: 'several_senders' };
  const person = findPersonNameByEmail(people, address);
  return { person, address, verified: [first, ...more] };
}

function describeMissingToken({ tokens }: ReplyTokens): string {
  return tokens.length > 0 ? 'forged_token' : 'no_token';
}

/** Stays the same if the mail service delivers the same email again. */
function createDeliveryId(secret: string, { messageId }: IncomingEmail, raw: Buffer): string {
  const identity = messageId ?? createHash('sha256').update(raw).digest('hex');
  return createHmac('sha256', secret).update(`incoming\n${identity}`).digest('hex').slice(0, 32);
}

async function askWhichQuestion(
  { buildLinks }: InboundDeps,
  sendFeedback: SendFeedbackEmail,
  sender: ReplySender,
  verified: GenuineToken[],
): Promise<InboundEmailResult> {
  const explanation =
    'Your reply quotes more than one question, so it was not used for any of them. Reply to each email separately, without quoting the others.';
  const links = new Set(verified.slice(0, 5).map(({ claims }) => buildLinks(claims.conversationId).web));
  const content = composePlainFeedbackEmail('Your reply was not accepted', sender.address, [explanation], [...links]);
  return (await sendFeedback(sender, content))
    ? { outcome: 'asked_back', reason: 'several_tokens' }
    : { outcome: 'ignored', reason: 'too_many' };
}

/** Logs the result, without the text of the email or any token. */
function logResult({ log }: InboundDeps, result: InboundEmailResult, fields: object = {}): InboundEmailResult {
  log.info({ ...fields, ...result }, 'email received');
  return result;
}

const WRONG_SENDER_TEXT = [
  'The email you replied to was sent to another address. Only a reply from that address counts.',
  'You can answer the question yourself in Parley.',
];

/**
 * Refuses a reply to an email that was sent to another person. Senders who may answer themselves get a link; others get
 * no feedback.
 */
async function respondToWrongSender(
  deps: InboundDeps,
  sendFeedback: SendFeedbackEmail,
  sender: ReplySender,
  person: string,
  { conversationId }: VerifiedReplyToken,
): Promise<InboundEmailResult> {
  const ignored: InboundEmailResult = { outcome: 'ignored', reason: 'other_sender' };
  if (isLikelyAwayReply(sender.mail)) return ignored;
  const access = await deps.findAccess(person, conversationId);
  if (!access || !isKnownPerson(deps, access, person)) return ignored;
  const links = [deps.buildLinks(conversationId).web];
  const content = composePlainFeedbackEmail('Your reply was not accepted', sender.address, WRONG_SENDER_TEXT, links);
  return (await sendFeedback(sender, content)) ? { ...ignored, outcome: 'asked_back' } : ignored;
}

/** Returns whether the person is known. Strangers get no email, even if everyone may answer. */
function isKnownPerson(
  { people }: InboundDeps,
  { owner, assignees }: ConversationState['access'],
  person: string,
): boolean {
  return findPerson(people, person) !== undefined || [owner, ...assignees].includes(person);
}

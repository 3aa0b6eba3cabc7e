import { createEmailAnswerLink } from '#channels/email/outbound/compose';
import type { EmailContent } from '#channels/email/outbound/content';
import type { VerifiedReplyToken } from '#channels/email/reply-token';
import { type FoundQuestion, type InboundDeps, InboundError } from '#channels/inbound';
import type { Question } from '#contract/question';
import { YES_LABEL } from '#core/questions/create';
import { isLikelyAwayReply, isSenderUnproven } from './auto-reply-detection';
import {
  composeLateReplyEmail,
  composePlainFeedbackEmail,
  composeQueuedReplyEmail,
  composeUnclearReplyEmail,
  type ReplyFeedbackContext,
  type ReplySender,
  type SendFeedbackEmail,
} from './feedback';
import { type InterpretedReply, interpretReply } from './interpret-reply';

/** Creates a function that submits a reply as an answer or a decline, or emails the sender why it was not accepted. */
export function createReplySubmitter(deps: InboundDeps, sendFeedback: SendFeedbackEmail) {
  const respond = async (
    sender: ReplySender,
    content: EmailContent,
    result: InboundEmailResult,
  ): Promise<InboundEmailResult> =>
    (await sendFeedback(sender, content)) ? result : { outcome: 'ignored', reason: 'too_many' };

  return async (sender: ReplySender, person: string, token: VerifiedReplyToken): Promise<InboundEmailResult> => {
    const lookup = await findAskedQuestion(deps, person, token);
    if ('message' in lookup) {
      const content = composePlainFeedbackEmail('Your reply was not accepted', sender.address, [lookup.message], []);
      return respond({ ...sender, token: undefined }, content, { outcome: 'asked_back', reason: lookup.reason });
    }
    const feedback = createFeedbackContext(deps, sender, person, lookup);
    const text = sender.mail.reply;
    const interpreted = requireProof(lookup.question, sender, interpretReply(lookup.question, text));
    if (isLikelyAwayReply(sender.mail) && !isOptionAnswer(lookup.question, interpreted))
      return { outcome: 'ignored', reason: 'automatic' };
    const respondLate = (question: Question) =>
      respond(sender, composeLateReplyEmail({ ...feedback, question }), {
        outcome: 'late',
        reason: question.status,
      });
    if (interpreted.kind === 'unclear') {
      if (lookup.question.status !== 'pending') return respondLate(lookup.question);
      const content = composeUnclearReplyEmail(feedback, interpreted.problem, text, deps.now());
      return respond(sender, content, { outcome: 'asked_back', reason: text ? 'unclear' : 'empty' });
    }
    const { kind, ...reply } = interpreted;
    const { id: questionId, conversationId } = lookup.question;
    const result = await deps.submitAnswer({
      kind,
      person,
      via: 'email',
      conversationId,
      questionId,
      content: reply,
      receivedAt: deps.now(),
      identity: [sender.deliveryId, conversationId, questionId],
    });
    switch (result.status) {
      case 'accepted':
        return { outcome: kind === 'answer' ? 'answered' : 'declined' };
      case 'queued':
        return respond(sender, composeQueuedReplyEmail(feedback), { outcome: 'kept' });
      case 'alreadyResolved':
        return respondLate(result.question);
      // Another email with the same id was accepted before.
      case 'idempotencyConflict':
        return { outcome: 'ignored', reason: 'repeated' };
      default:
        throw new InboundError(result.code, result.detail);
    }
  };
}

const UNPROVEN_SENDER =
  'Your mail server could not prove that this email is from you (no DKIM or SPF for your domain), so it cannot approve an action. Answer via the link.';

/** Accepts a yes to an action only from a proven sender, if the mail service reports proof: a sender address can be forged. */
function requireProof({ confirms }: Question, { mail }: ReplySender, reply: InterpretedReply): InterpretedReply {
  const isYes = confirms && reply.kind === 'answer' && Object.values(reply.answers).includes(YES_LABEL);
  return isYes && isSenderUnproven(mail) ? { kind: 'unclear', problem: UNPROVEN_SENDER } : reply;
}

/** Returns whether the reply picks an option, which an automatic reply would not do. */
function isOptionAnswer({ fields }: Question, interpreted: InterpretedReply): boolean {
  return interpreted.kind === 'answer' && fields.every(({ options }) => options !== undefined);
}

type MissingQuestion = { message: string; reason: string };

const QUESTION_GONE: MissingQuestion = {
  reason: 'gone',
  message: 'This question is no longer stored.',
};

const NOT_ALLOWED: MissingQuestion = {
  reason: 'not_allowed',
  message: 'This question no longer exists, or you may not answer it. Only its owner and assignees can.',
};

/**
 * Finds the question. The person may have lost the right to answer since it was asked, and old conversations are
 * deleted.
 */
async function findAskedQuestion(
  deps: InboundDeps,
  person: string,
  { conversationId, questionNumber, wasAskedAt }: VerifiedReplyToken,
): Promise<FoundQuestion | MissingQuestion> {
  const lookup = await deps.findQuestion(person, conversationId, `question-${questionNumber}`, wasAskedAt);
  switch (lookup.status) {
    case 'found':
      return lookup;
    case 'forbidden':
    case 'conversationNotFound':
      return NOT_ALLOWED;
    case 'questionNotFound':
      return QUESTION_GONE;
    default:
      throw new InboundError(lookup.code, lookup.detail);
  }
}

function createFeedbackContext(
  { secret, buildLinks }: InboundDeps,
  sender: ReplySender,
  person: string,
  { areLinksRevoked, question, title }: FoundQuestion,
): ReplyFeedbackContext {
  const links = buildLinks(question.conversationId);
  const link = areLinksRevoked ? undefined : createEmailAnswerLink(secret, { question, links }, person);
  return { question, title, address: sender.address, answerOptions: { link, token: sender.token } };
}

/** The result of processing an incoming mail. */
export interface InboundEmailResult {
  outcome: 'answered' | 'declined' | 'kept' | 'asked_back' | 'late' | 'ignored';
  /** Why it was not accepted as an answer. */
  reason?: string;
}

import type { ApiDeps } from '#api/dependencies';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFrom } from '#api/middleware/idempotency';
import { isLinkRevoked } from '#api/services/answer-links';
import { readQuestion } from '#api/services/read-conversation';
import { submitAnswer } from '#api/services/submit-answer';
import type { Execution } from '#api/temporal/execution';
import { createEmailAnswerLink } from '#channels/email/outbound/compose';
import type { EmailContent } from '#channels/email/outbound/content';
import type { VerifiedReplyToken } from '#channels/email/reply-token';
import type { Question } from '#contract/question';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import { isLikelyAwayReply } from './auto-reply-detection';
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
import { extractReplyText } from './strip-quotes';

type ClearReply = Exclude<InterpretedReply, { kind: 'unclear' }>;

/** Answers or declines the question with what a person wrote, or mails them why it was not accepted. */
export function createReplySubmitter(deps: ApiDeps, sendFeedback: SendFeedbackEmail) {
  const respond = async (
    sender: ReplySender,
    content: EmailContent,
    result: InboundEmailResult,
  ): Promise<InboundEmailResult> =>
    (await sendFeedback(sender, content)) ? result : { outcome: 'ignored', reason: 'too_many' };

  return async (sender: ReplySender, person: string, token: VerifiedReplyToken): Promise<InboundEmailResult> => {
    const lookup = await findAskedQuestion(deps, person, token);
    if ('message' in lookup) {
      const content = composePlainFeedbackEmail('Your reply was not taken', sender.address, [lookup.message], []);
      return respond({ ...sender, token: undefined }, content, { outcome: 'asked_back', reason: lookup.reason });
    }
    const feedback = createFeedbackContext(deps, sender, person, lookup);
    const text = extractReplyText(sender.mail.text);
    const interpreted = interpretReply(lookup.question, text);
    if (isLikelyAwayReply(sender.mail) && !isOptionAnswer(lookup.question, interpreted))
      return { outcome: 'ignored', reason: 'automatic' };
    const respondLate = (question: Question) =>
      respond(sender, composeLateReplyEmail({ ...feedback, question }), {
        outcome: 'late',
        reason: question.status,
      });
    if (interpreted.kind === 'unclear') {
      if (lookup.question.status !== 'pending') return respondLate(lookup.question);
      const content = composeUnclearReplyEmail(feedback, interpreted.problems, text, deps.now());
      return respond(sender, content, { outcome: 'asked_back', reason: text ? 'unclear' : 'empty' });
    }
    const outcome = await submitReply(deps, person, lookup.question, interpreted, sender.deliveryId);
    if (outcome === 'repeated') return { outcome: 'ignored', reason: 'repeated' };
    if (outcome === 'kept') return respond(sender, composeQueuedReplyEmail(feedback), { outcome: 'kept' });
    return typeof outcome === 'object' ? respondLate(outcome) : { outcome };
  };
}

/** Somebody who is away does not pick an option. */
function isOptionAnswer({ fields }: Question, interpreted: InterpretedReply): boolean {
  return interpreted.kind === 'answer' && fields.every(({ options }) => options !== undefined);
}

type FoundQuestion = { execution: Execution; question: Question; title: string };
type MissingQuestion = { message: string; reason: string };

const QUESTION_GONE: MissingQuestion = {
  reason: 'gone',
  message: 'The question is too long ago: it is not kept any more.',
};

/** They may have lost the right to answer since they were asked, and an old conversation is let go of some time. */
async function findAskedQuestion(
  { gateway, principalFor }: ApiDeps,
  person: string,
  { conversationId, questionNumber, wasAskedAt }: VerifiedReplyToken,
): Promise<FoundQuestion | MissingQuestion> {
  try {
    const execution = await findActionable(gateway, principalFor(person), conversationId);
    const question = await readQuestion(gateway, execution, `question-${questionNumber}`);
    return wasAskedAt(question.askedAt)
      ? { execution, question, title: execution.memo.conversation.title }
      : QUESTION_GONE;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'forbidden' || error.code === 'conversation_not_found')
      return {
        reason: 'not_allowed',
        message:
          'The question is not there any more, or not for you to answer: its owner can, and those it is assigned to.',
      };
    if (error.code === 'question_not_found') return QUESTION_GONE;
    throw error;
  }
}

function createFeedbackContext(
  { secret, buildLinks }: ApiDeps,
  sender: ReplySender,
  person: string,
  { execution, question, title }: FoundQuestion,
): ReplyFeedbackContext {
  const links = buildLinks(question.conversationId);
  const isRevoked = isLinkRevoked(execution, { questionId: question.id, person });
  const link = isRevoked ? undefined : createEmailAnswerLink(secret, { question, links }, person);
  return { question, title, address: sender.address, answerOptions: { link, token: sender.token } };
}

/** What became of the reply; the question itself where it was resolved earlier. */
async function submitReply(
  deps: ApiDeps,
  person: string,
  { id: qid, conversationId: id }: Question,
  reply: ClearReply,
  deliveryId: string,
): Promise<'answered' | 'declined' | 'kept' | 'repeated' | Question> {
  const { kind, ...content } = reply;
  const signal = kind === 'answer' ? answerQuestionSignal : declineQuestionSignal;
  const source = { by: person, via: 'email', receivedAt: deps.now() };
  const idempotency = idempotencyFrom(deps.secret, ['email', deliveryId, id, qid], reply);
  try {
    const principal = deps.principalFor(person);
    const { confirmed } = await submitAnswer(
      deps.gateway,
      principal,
      { id, qid },
      signal,
      { ...content, ...source },
      idempotency,
    );
    if (!confirmed) return 'kept';
    return kind === 'answer' ? 'answered' : 'declined';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The same id of another mail: it was answered by the first.
    if (error.code === 'idempotency_conflict') return 'repeated';
    if (!error.extensions.question) throw error;
    return error.extensions.question as Question;
  }
}

/** The result of processing an incoming mail. */
export interface InboundEmailResult {
  outcome: 'answered' | 'declined' | 'kept' | 'asked_back' | 'late' | 'ignored';
  /** Why, where it was no answer. */
  reason?: string;
}

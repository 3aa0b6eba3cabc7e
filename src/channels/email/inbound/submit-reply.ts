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

/** Settles the question by what a person wrote to it, or tells them why not. */
export function createReplySubmitter(context: ApiDeps, back: SendFeedbackEmail) {
  const reply = async (
    sender: ReplySender,
    letter: EmailContent,
    taken: InboundEmailResult,
  ): Promise<InboundEmailResult> => ((await back(sender, letter)) ? taken : { outcome: 'ignored', reason: 'too_many' });

  return async (sender: ReplySender, person: string, to: VerifiedReplyToken): Promise<InboundEmailResult> => {
    const found = await findAskedQuestion(context, person, to);
    if ('sentence' in found) {
      const letter = composePlainFeedbackEmail('Your reply was not taken', sender.address, [found.sentence], []);
      return reply({ ...sender, token: undefined }, letter, { outcome: 'asked_back', reason: found.reason });
    }
    const about = createFeedbackContext(context, sender, person, found);
    const words = extractReplyText(sender.mail.text);
    const understood = interpretReply(found.question, words);
    if (isLikelyAwayReply(sender.mail) && !isOptionAnswer(found.question, understood))
      return { outcome: 'ignored', reason: 'automatic' };
    const late = (question: Question) =>
      reply(sender, composeLateReplyEmail({ ...about, question }), {
        outcome: 'late',
        reason: question.status,
      });
    if (understood.kind === 'unclear') {
      if (found.question.status !== 'pending') return late(found.question);
      const letter = composeUnclearReplyEmail(about, understood.problems, words, context.now());
      return reply(sender, letter, { outcome: 'asked_back', reason: words ? 'unclear' : 'empty' });
    }
    const came = await submitReply(context, person, found.question, understood, sender.id);
    if (came === 'repeated') return { outcome: 'ignored', reason: 'repeated' };
    if (came === 'kept') return reply(sender, composeQueuedReplyEmail(about), { outcome: 'kept' });
    return typeof came === 'object' ? late(came) : { outcome: came };
  };
}

/** Somebody who is away does not pick an option. */
function isOptionAnswer({ fields }: Question, understood: InterpretedReply): boolean {
  return understood.kind === 'answer' && fields.every(({ options }) => options !== undefined);
}

type FoundQuestion = { run: Execution; question: Question; title: string };
type MissingQuestion = { sentence: string; reason: string };

const QUESTION_GONE: MissingQuestion = {
  reason: 'gone',
  sentence: 'The question is too long ago: it is not kept any more.',
};

/** They may have lost the right to answer since they were asked, and an old conversation is let go of some time. */
async function findAskedQuestion(
  { gateway, callerNamed }: ApiDeps,
  person: string,
  { conversation, number, wasAskedAt }: VerifiedReplyToken,
): Promise<FoundQuestion | MissingQuestion> {
  try {
    const run = await findActionable(gateway, callerNamed(person), conversation);
    const question = await readQuestion(gateway, run, `question-${number}`);
    return wasAskedAt(question.askedAt) ? { run, question, title: run.memo.conversation.title } : QUESTION_GONE;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === 'forbidden' || error.code === 'conversation_not_found')
      return {
        reason: 'not_allowed',
        sentence:
          'The question is not there any more, or not for you to answer: its owner can, and those it is assigned to.',
      };
    if (error.code === 'question_not_found') return QUESTION_GONE;
    throw error;
  }
}

function createFeedbackContext(
  { secret, linksOf }: ApiDeps,
  sender: ReplySender,
  person: string,
  found: FoundQuestion,
): ReplyFeedbackContext {
  const { question, title, run } = found;
  const links = linksOf(question.conversationId);
  const isTakenBack = isLinkRevoked(run, { question: question.id, person });
  const link = isTakenBack ? undefined : createEmailAnswerLink(secret, { question, links }, person);
  return { question, title, place: sender.address, ways: { link, token: sender.token } };
}

/** Which way it went; the question as it stands where that came before. */
async function submitReply(
  context: ApiDeps,
  person: string,
  { id: qid, conversationId: id }: Question,
  said: ClearReply,
  delivery: string,
): Promise<'answered' | 'declined' | 'kept' | 'repeated' | Question> {
  const { kind, ...content } = said;
  const signal = kind === 'answer' ? answerQuestionSignal : declineQuestionSignal;
  const from = { by: person, via: 'email', receivedAt: context.now() };
  const once = idempotencyFrom(context.secret, ['email', delivery, id, qid], said);
  try {
    const caller = context.callerNamed(person);
    const { confirmed } = await submitAnswer(
      context.gateway,
      caller,
      { id, qid },
      signal,
      { ...content, ...from },
      once,
    );
    if (!confirmed) return 'kept';
    return kind === 'answer' ? 'answered' : 'declined';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The same id of another mail: it was answered by the first.
    if (error.code === 'idempotency_conflict') return 'repeated';
    if (!error.more.question) throw error;
    return error.more.question as Question;
  }
}

/** What became of a mail that came in. */
export interface InboundEmailResult {
  outcome: 'answered' | 'declined' | 'kept' | 'asked_back' | 'late' | 'ignored';
  /** Why, where it was no answer. */
  reason?: string;
}

import { findToActOn } from '#api/access';
import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import { onceBy } from '#api/identity';
import { isRevoked } from '#api/links';
import { readQuestion } from '#api/reading';
import type { Run } from '#api/run';
import { settle } from '#api/settling';
import { answerLink } from '#channels/email/asking';
import type { Letter } from '#channels/email/letter';
import { looksAway } from '#channels/email/reply/automatic';
import { ownWords } from '#channels/email/reply/own-words';
import { type Understood, understand } from '#channels/email/reply/understand';
import { keptLetter, lateLetter, plainLetter, type Return, unclearLetter } from '#channels/email/returns';
import type { Question } from '#contract/question';
import type { ReadReply } from '#signing/reply';
import { answerQuestion, declineQuestion } from '#workflows/messages';
import type { MailBack, Sender } from './mail-back';
import type { Taken } from './taken';

type Said = Exclude<Understood, { kind: 'unclear' }>;

/** Settles the question by what a person wrote to it, or tells them why not. */
export function answering(context: Context, back: MailBack) {
  const reply = async (sender: Sender, letter: Letter, taken: Taken): Promise<Taken> =>
    (await back(sender, letter)) ? taken : { outcome: 'ignored', reason: 'too_many' };

  return async (sender: Sender, person: string, to: ReadReply): Promise<Taken> => {
    const found = await find(context, person, to);
    if ('sentence' in found) {
      const letter = plainLetter('Your reply was not taken', sender.address, [found.sentence], []);
      return reply({ ...sender, token: undefined }, letter, { outcome: 'asked_back', reason: found.reason });
    }
    const about = returnOf(context, sender, person, found);
    const words = ownWords(sender.mail.text);
    const understood = understand(found.question, words);
    if (looksAway(sender.mail) && !isChoice(found.question, understood))
      return { outcome: 'ignored', reason: 'automatic' };
    const late = (question: Question) =>
      reply(sender, lateLetter({ ...about, question }), { outcome: 'late', reason: question.status });
    if (understood.kind === 'unclear') {
      if (found.question.status !== 'pending') return late(found.question);
      const letter = unclearLetter(about, understood.problems, words, context.now());
      return reply(sender, letter, { outcome: 'asked_back', reason: words ? 'unclear' : 'empty' });
    }
    const came = await settleBy(context, person, found.question, understood, sender.id);
    if (came === 'repeated') return { outcome: 'ignored', reason: 'repeated' };
    if (came === 'kept') return reply(sender, keptLetter(about), { outcome: 'kept' });
    return typeof came === 'object' ? late(came) : { outcome: came };
  };
}

/** Somebody who is away does not pick an option. */
function isChoice({ fields }: Question, understood: Understood): boolean {
  return understood.kind === 'answer' && fields.every(({ options }) => options !== undefined);
}

type Found = { run: Run; question: Question; title: string };
type NotFound = { sentence: string; reason: string };

const GONE: NotFound = {
  reason: 'gone',
  sentence: 'The question is too long ago: it is not kept any more.',
};

/** They may have lost the right to answer since they were asked, and an old conversation is let go of some time. */
async function find(
  { gateway, callerNamed }: Context,
  person: string,
  { conversation, number, wasAskedAt }: ReadReply,
): Promise<Found | NotFound> {
  try {
    const run = await findToActOn(gateway, callerNamed(person), conversation);
    const question = await readQuestion(gateway, run, `question-${number}`);
    return wasAskedAt(question.askedAt) ? { run, question, title: run.memo.conversation.title } : GONE;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'forbidden' || error.code === 'conversation_not_found')
      return {
        reason: 'not_allowed',
        sentence:
          'The question is not there any more, or not for you to answer: its owner can, and those it is assigned to.',
      };
    if (error.code === 'question_not_found') return GONE;
    throw error;
  }
}

function returnOf({ secret, linksOf }: Context, sender: Sender, person: string, found: Found): Return {
  const { question, title, run } = found;
  const links = linksOf(question.conversationId);
  const isTakenBack = isRevoked(run, { question: question.id, person });
  const link = isTakenBack ? undefined : answerLink(secret, { question, links }, person);
  return { question, title, place: sender.address, ways: { link, token: sender.token } };
}

/** Which way it went; the question as it stands where that came before. */
async function settleBy(
  context: Context,
  person: string,
  { id: qid, conversationId: id }: Question,
  said: Said,
  delivery: string,
): Promise<'answered' | 'declined' | 'kept' | 'repeated' | Question> {
  const { kind, ...content } = said;
  const signal = kind === 'answer' ? answerQuestion : declineQuestion;
  const from = { by: person, via: 'email', receivedAt: context.now() };
  const once = onceBy(context.secret, ['email', delivery, id, qid], said);
  try {
    const caller = context.callerNamed(person);
    const { confirmed } = await settle(
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
    if (!(error instanceof Refusal)) throw error;
    // The same id of another mail: it was answered by the first.
    if (error.code === 'idempotency_conflict') return 'repeated';
    if (!error.more.question) throw error;
    return error.more.question as Question;
  }
}

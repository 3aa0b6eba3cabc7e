import type { Context } from '#api/context';
import { Refusal } from '#api/errors';
import { onceBy } from '#api/identity';
import { type Content, Undecided } from '#api/not-taken';
import { settle } from '#api/settling';
import { mayBeTaken, troubleOf } from '#api/temporal-trouble';
import type { Once } from '#api/verdicts';
import type { Question } from '#contract/question';
import { isPastDeadline } from '#core/questions/resolve';
import { answerQuestionSignal, declineQuestionSignal } from '#workflows/messages';
import { type Form, formFrom } from './filling';
import { type Faults, readAnswer, readDecline } from './reading-form';
import type { Guest } from './visit';

export type Sent =
  /** It counts, or did when it was first sent. */
  | { came: 'taken'; question: Question }
  /** Safe with Temporal, and no worker has acted on it yet. */
  | { came: 'kept'; content: Partial<Content> }
  | { came: 'late'; question: Question }
  /** Too late, and nobody knows yet what became of the question. */
  | { came: 'over' }
  | { came: 'faulty'; form: Form; faults: Faults };

/** How the form says that the person will not answer. */
export const DECLINE = { name: 'send', value: 'decline' };

/** Answer or decline as a form says, and tell what came of it. */
export async function send(context: Context, guest: Guest, sent: URLSearchParams): Promise<Sent> {
  const receivedAt = context.now();
  const { by, question } = guest;
  const form = formFrom(question.fields, sent);
  const isDecline = sent.get(DECLINE.name) === DECLINE.value;
  const read = isDecline ? readDecline(form) : readAnswer(question.fields, form);
  if (!read.ok) {
    const { faults } = read;
    if (question.status !== 'pending') return { came: 'late', question };
    return isPastDeadline(question, receivedAt) ? { came: 'over' } : { came: 'faulty', form, faults };
  }
  const content: Content = { ...read.body, by, via: 'link', receivedAt };
  const signal = isDecline ? declineQuestionSignal : answerQuestionSignal;
  // The same form sent again by the same link is the same answer: a page that is loaded anew does nothing twice.
  const once = onceBy(context.secret, ['link', guest.token, [...sent]], [...sent]);
  return settled(context, guest, signal, content, once);
}

/** What of a refusal tells that what was sent may count after all. */
export const UNSURE = { isUnsure: true };

async function settled(
  { gateway }: Context,
  { caller, question: { conversationId: id, id: qid } }: Guest,
  signal: typeof answerQuestionSignal,
  content: Content,
  once: Once,
): Promise<Sent> {
  try {
    const { confirmed, question } = await settle(gateway, caller, { id, qid }, signal, content, once);
    return confirmed ? { came: 'taken', question } : { came: 'kept', content };
  } catch (error) {
    const question = error instanceof Refusal ? (error.more.question as Question | undefined) : undefined;
    if (question) return { came: 'late', question };
    if (error instanceof Undecided) return { came: 'over' };
    if (mayBeTaken(error)) throw new Refusal('temporal_unavailable', troubleOf(error) ?? '', UNSURE);
    throw error;
  }
}

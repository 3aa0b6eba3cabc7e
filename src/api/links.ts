import type { Request, Response } from 'express';
import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import { findPersonNameByEmail } from '#channels/people';
import { EVERYBODY } from '#contract/permissions';
import type { Question } from '#contract/question';
import { AnswerLinkBody, RevokeLinksQuery } from '#contract/requests';
import type { AnswerLink, RevokedLinks } from '#contract/responses';
import { revokeLinksSignal } from '#workflows/messages';
import { findToActOn } from './access';
import { callerOf, senderOf } from './caller';
import type { Context } from './context';
import { Refusal } from './errors';
import type { Gateway } from './gateway';
import { onceOf } from './identity';
import { refuseLate, tooLate } from './not-taken';
import { readQuestion } from './reading';
import { parse, parseBody } from './request';
import type { Parameters } from './routes';
import { isClosed, type Run } from './run';
import { readOpen } from './settling';
import { earlierVerdict, type Once, refuseOtherBody, untilTold } from './verdicts';

type Asked = Request<Parameters>;

/** A link that lets somebody answer who may not otherwise: given out by one who may. */
export async function createLink(context: Context, request: Asked, response: Response): Promise<void> {
  const { gateway, secret, url, now } = context;
  const person = named(context, parseBody(AnswerLinkBody, request).person);
  const { id, qid } = request.params;
  const caller = callerOf(response);
  const run = await findToActOn(gateway, caller, id);
  const question = await readOpen(gateway, run, qid);
  refuseLate(question, now());
  const { expiresAt } = question;
  const until = expiresAt === null ? null : Date.parse(expiresAt);
  const granted = { by: caller.name };
  const link: AnswerLinkClaims = { conversation: run.id, question: question.id, person, until, granted };
  if (isRevoked(run, link))
    throw new Refusal(
      'link_revoked',
      `The links of ${person} to this question were taken back, and a new one would not work either. They can answer with a key if they are its owner or an assignee.`,
    );
  const made: AnswerLink = {
    url: buildAnswerLinkUrl(url, createAnswerLinkToken(secret, link)),
    person,
    expiresAt,
  };
  response.status(201).json(made);
}

export function isRevoked(
  { memo: { revoked } }: Run,
  { question, person }: Pick<AnswerLinkClaims, 'question' | 'person'>,
): boolean {
  const people = revoked?.[question] ?? [];
  return people.includes(person) || people.includes(EVERYBODY);
}

/** Take links back, of one person or of all. 202 while no worker has acted on it: until then they work. */
export async function takeBack(context: Context, request: Asked, response: Response): Promise<void> {
  const { gateway, secret, now } = context;
  const receivedAt = now();
  const caller = callerOf(response);
  const { person: given } = parse(RevokeLinksQuery, request.query);
  const person = given === undefined ? null : named(context, given);
  const { id, qid } = request.params;
  const run = await findToActOn(gateway, caller, id);
  const once = onceOf(request, { secret, caller }, [revokeLinksSignal.name, id], [qid, person]);
  const isRepeat = Boolean(await earlierVerdict(gateway, run, once));
  const question = isRepeat ? await readQuestion(gateway, run, qid) : await readOpen(gateway, run, qid);
  const told: RevokedLinks = { conversationId: id, questionId: question.id, person };
  const content = { ...senderOf(request, caller), ...(person === null ? {} : { person }), receivedAt };
  const isDone = isRepeat || (await revoke(gateway, question, content, once));
  response.status(isDone ? 200 : 202).json(told);
}

/** Tells whether a worker has acted on it. */
async function revoke(
  gateway: Gateway,
  question: Question,
  content: { receivedAt: number },
  { id, digest, isKeyed }: Once,
): Promise<boolean> {
  refuseLate(question, content.receivedAt);
  const { conversationId, id: questionId } = question;
  await gateway.signal(conversationId, revokeLinksSignal, { ...content, id, digest, questionId });
  const look = (run: Run) => heard(gateway, run, question, { id, digest, isKeyed });
  return (await untilTold(gateway, conversationId, look)) ?? false;
}

/** Once the question is settled there is nothing to take back any more. */
async function heard(gateway: Gateway, run: Run, asked: Question, once: Once): Promise<true | undefined> {
  const verdict = run.memo.verdicts.find(({ id }) => id === once.id);
  if (verdict) refuseOtherBody(verdict, once);
  if (verdict) return true;
  if (!isClosed(run) && run.memo.question?.id === asked.id) return undefined;
  throw tooLate(await readQuestion(gateway, run, asked.id));
}

/** An address stands for the person whose it is, as it does where mail is sent. */
function named({ channels: { people } }: Context, person: string): string {
  return person.includes('@') ? findPersonNameByEmail(people, person) : person;
}

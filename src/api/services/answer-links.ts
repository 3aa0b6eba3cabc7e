import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, requirePrincipal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { parseBody, parseInput } from '#api/middleware/validation';
import type { PathParameters } from '#api/router';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import { findPersonNameByEmail } from '#channels/people';
import { EVERYBODY } from '#contract/permissions';
import type { Question } from '#contract/question';
import { AnswerLinkBody, RevokeLinksQuery } from '#contract/requests';
import type { AnswerLink, RevokedLinks } from '#contract/responses';
import { revokeLinksSignal } from '#workflows/messages';
import { assertSameBody, findEarlierResult, type Idempotency, waitForMessageResult } from './message-results';
import { readQuestion } from './read-conversation';
import { alreadyResolvedError, readOpenQuestion, rejectLate } from './submit-answer';

type Asked = Request<PathParameters>;

/** A link that lets somebody answer who may not otherwise: given out by one who may. */
export async function createAnswerLink(context: ApiDeps, request: Asked, response: Response): Promise<void> {
  const { gateway, secret, url, now } = context;
  const person = named(context, parseBody(AnswerLinkBody, request).person);
  const { id, qid } = request.params;
  const caller = requirePrincipal(response);
  const run = await findActionable(gateway, caller, id);
  const question = await readOpenQuestion(gateway, run, qid);
  rejectLate(question, now());
  const { expiresAt } = question;
  const until = expiresAt === null ? null : Date.parse(expiresAt);
  const granted = { by: caller.name };
  const link: AnswerLinkClaims = { conversation: run.id, question: question.id, person, until, granted };
  if (isLinkRevoked(run, link))
    throw new ApiError(
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

export function isLinkRevoked(
  { memo: { revoked } }: Execution,
  { question, person }: Pick<AnswerLinkClaims, 'question' | 'person'>,
): boolean {
  const people = revoked?.[question] ?? [];
  return people.includes(person) || people.includes(EVERYBODY);
}

/** Take links back, of one person or of all. 202 while no worker has acted on it: until then they work. */
export async function revokeAnswerLinks(context: ApiDeps, request: Asked, response: Response): Promise<void> {
  const { gateway, secret, now } = context;
  const receivedAt = now();
  const caller = requirePrincipal(response);
  const { person: given } = parseInput(RevokeLinksQuery, request.query);
  const person = given === undefined ? null : named(context, given);
  const { id, qid } = request.params;
  const run = await findActionable(gateway, caller, id);
  const once = idempotencyFromHeader(request, { secret, caller }, [revokeLinksSignal.name, id], [qid, person]);
  const isRepeat = Boolean(await findEarlierResult(gateway, run, once));
  const question = isRepeat ? await readQuestion(gateway, run, qid) : await readOpenQuestion(gateway, run, qid);
  const told: RevokedLinks = { conversationId: id, questionId: question.id, person };
  const content = { ...actorOf(request, caller), ...(person === null ? {} : { person }), receivedAt };
  const isDone = isRepeat || (await revoke(gateway, question, content, once));
  response.status(isDone ? 200 : 202).json(told);
}

/** Tells whether a worker has acted on it. */
async function revoke(
  gateway: TemporalGateway,
  question: Question,
  content: { receivedAt: number },
  { id, digest, isKeyed }: Idempotency,
): Promise<boolean> {
  rejectLate(question, content.receivedAt);
  const { conversationId, id: questionId } = question;
  await gateway.signal(conversationId, revokeLinksSignal, { ...content, id, digest, questionId });
  const look = (run: Execution) => heard(gateway, run, question, { id, digest, isKeyed });
  return (await waitForMessageResult(gateway, conversationId, look)) ?? false;
}

/** Once the question is settled there is nothing to take back any more. */
async function heard(
  gateway: TemporalGateway,
  run: Execution,
  asked: Question,
  once: Idempotency,
): Promise<true | undefined> {
  const verdict = run.memo.verdicts.find(({ id }) => id === once.id);
  if (verdict) assertSameBody(verdict, once);
  if (verdict) return true;
  if (!isExecutionClosed(run) && run.memo.question?.id === asked.id) return undefined;
  throw alreadyResolvedError(await readQuestion(gateway, run, asked.id));
}

/** An address stands for the person whose it is, as it does where mail is sent. */
function named({ channels: { people } }: ApiDeps, person: string): string {
  return person.includes('@') ? findPersonNameByEmail(people, person) : person;
}

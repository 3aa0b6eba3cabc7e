import type { Request, Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { actorOf, requirePrincipal } from '#api/middleware/authentication';
import { findActionable } from '#api/middleware/authorization';
import { ApiError, orThrowRefusal, refusalError } from '#api/middleware/errors';
import { idempotencyFromHeader } from '#api/middleware/idempotency';
import { parseBody, parseInput } from '#api/middleware/validation';
import type { PathParameters } from '#api/router';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import { findPersonNameByEmail } from '#channels/people';
import type { Question } from '#contract/question';
import { AnswerLinkBody, RevokeLinksQuery } from '#contract/requests';
import type { AnswerLink, RevokedLinks } from '#contract/responses';
import { EVERYBODY } from '#core/conversation/state';
import { isPastDeadline } from '#core/questions/resolve';
import { revokeLinksSignal } from '#workflows/messages';
import { findRunForAction, hasOtherBody, type Idempotency, waitForMessageResult } from './message-results';
import { readQuestion } from './read-conversation';
import { alreadyResolved, conversationNotFound, IDEMPOTENCY_CONFLICT, questionNotFound, UNDECIDED } from './refusals';

type LinkRequest = Request<PathParameters>;

/**
 * Creates a link that lets a person answer who otherwise may not. The caller must be allowed to act in the
 * conversation.
 */
export async function createAnswerLink(deps: ApiDeps, request: LinkRequest, response: Response): Promise<void> {
  const { gateway, secret, url, now } = deps;
  const person = resolvePersonName(deps, parseBody(AnswerLinkBody, request).person);
  const { id, qid } = request.params;
  const caller = requirePrincipal(response);
  const { run } = orThrowRefusal(await findActionable(gateway, caller, id));
  const question = await requireOpenQuestion(gateway, run, qid, now());
  const { expiresAt } = question;
  const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
  const grant = { by: caller.name };
  const claims: AnswerLinkClaims = {
    conversationId: run.id,
    questionId: question.id,
    person,
    expiresAt: expiresAtMs,
    grant,
  };
  if (isLinkRevoked(run, claims))
    throw new ApiError(
      'link_revoked',
      `The links of ${person} to this question were revoked, so a new link would not work. The owner and assignees can still answer with a key.`,
    );
  const link: AnswerLink = {
    url: buildAnswerLinkUrl(url, createAnswerLinkToken(secret, claims)),
    person,
    expiresAt,
  };
  response.status(201).json(link);
}

export function isLinkRevoked(
  { memo: { revokedLinks } }: Execution,
  { questionId, person }: Pick<AnswerLinkClaims, 'questionId' | 'person'>,
): boolean {
  const revokedPeople = revokedLinks?.[questionId] ?? [];
  return revokedPeople.includes(person) || revokedPeople.includes(EVERYBODY);
}

/**
 * Revokes the answer links of one person, or of everyone. Replies 202 until a worker has processed it; the links work
 * until then.
 */
export async function revokeAnswerLinks(deps: ApiDeps, request: LinkRequest, response: Response): Promise<void> {
  const { gateway, secret, now } = deps;
  const receivedAt = now();
  const caller = requirePrincipal(response);
  const { person: requestedPerson } = parseInput(RevokeLinksQuery, request.query);
  const person = requestedPerson === undefined ? null : resolvePersonName(deps, requestedPerson);
  const { id, qid } = request.params;
  const idempotency = idempotencyFromHeader(request, { secret, caller }, [revokeLinksSignal.name, id], [qid, person]);
  const { run, earlier } = orThrowRefusal(await findRunForAction(gateway, caller, id, idempotency));
  const question = earlier
    ? await requireQuestion(gateway, run, qid)
    : await requireOpenQuestion(gateway, run, qid, receivedAt);
  const result: RevokedLinks = { conversationId: id, questionId: question.id, person };
  const content = { ...actorOf(request, caller), ...(person === null ? {} : { person }), receivedAt };
  const isApplied = earlier !== undefined || (await sendRevocation(gateway, question, content, idempotency));
  response.status(isApplied ? 200 : 202).json(result);
}

/** Sends the revocation. Returns whether a worker has processed it. */
async function sendRevocation(
  gateway: TemporalGateway,
  question: Question,
  content: { receivedAt: number },
  { id, digest, isKeyed }: Idempotency,
): Promise<boolean> {
  const { conversationId, id: questionId } = question;
  await gateway.signal(conversationId, revokeLinksSignal, { ...content, id, digest, questionId });
  const findResult = (run: Execution | undefined) =>
    findRevocationResult(gateway, run, question, { id, digest, isKeyed });
  return (await waitForMessageResult(gateway, conversationId, findResult)) ?? false;
}

/** Returns true once a worker has processed it. A resolved question has no links left to revoke. */
async function findRevocationResult(
  gateway: TemporalGateway,
  run: Execution | undefined,
  question: Question,
  idempotency: Idempotency,
): Promise<true | undefined> {
  if (!run) throw refusalError(conversationNotFound(question.conversationId));
  const result = run.memo.messageResults.find(({ id }) => id === idempotency.id);
  if (hasOtherBody(result, idempotency)) throw refusalError(IDEMPOTENCY_CONFLICT);
  if (result) return true;
  if (!isExecutionClosed(run) && run.memo.question?.id === question.id) return undefined;
  throw refusalError(alreadyResolved(await requireQuestion(gateway, run, question.id)));
}

export async function requireQuestion(gateway: TemporalGateway, run: Execution, id: string): Promise<Question> {
  const question = await readQuestion(gateway, run, id);
  if (!question) throw refusalError(questionNotFound(id));
  return question;
}

async function requireOpenQuestion(
  gateway: TemporalGateway,
  run: Execution,
  id: string,
  now: number,
): Promise<Question> {
  const question = await requireQuestion(gateway, run, id);
  if (question.status !== 'pending') throw refusalError(alreadyResolved(question));
  if (isPastDeadline(question, now)) throw refusalError(UNDECIDED);
  return question;
}

/** Resolves an email address to the name of its person, as the email channel does. */
function resolvePersonName({ channelSettings: { people } }: ApiDeps, person: string): string {
  return person.includes('@') ? findPersonNameByEmail(people, person) : person;
}

import type { Response } from 'express';
import type { ApiDeps } from '#api/dependencies';
import { findActionable } from '#api/middleware/authorization';
import { ApiError, orThrowRefusal, refusalError } from '#api/middleware/errors';
import type { OperationInput } from '#api/router';
import { type Execution, isExecutionClosed } from '#api/temporal/execution';
import type { TemporalGateway } from '#api/temporal/gateway';
import { type AnswerLinkClaims, buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import { findPersonNameByEmail } from '#channels/people';
import type { Question } from '#contract/question';
import type { AnswerLink, RevokedLinks } from '#contract/responses';
import { EVERYBODY, type MessageResult } from '#core/conversation/state';
import { isPastDeadline } from '#core/questions/resolve';
import { linkCreatedSignal, revokeLinksSignal } from '#workflows/messages';
import { awaitResult, idempotencyFrom, requireActionable } from './idempotency';
import { readQuestion } from './read-conversation';
import { alreadyResolved, questionNotFound, UNDECIDED } from './refusals';

/**
 * Creates a link that lets a person answer who otherwise may not. The caller must be allowed to act in the
 * conversation.
 */
export async function createAnswerLink(
  deps: ApiDeps,
  { caller, params: { id, qid }, body, actor, receivedAt }: OperationInput<'createLink'>,
  response: Response,
): Promise<void> {
  const { gateway, secret, url } = deps;
  const person = resolvePersonName(deps, body.person);
  const { run } = orThrowRefusal(await findActionable(gateway, caller, id));
  const question = await requireOpenQuestion(gateway, run, qid, receivedAt);
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
  const token = createAnswerLinkToken(secret, claims);
  // The token is the same each time, so a repeat is recorded once.
  const { id: messageId } = idempotencyFrom(secret, ['link', token], null);
  const record = { id: messageId, questionId: question.id, person, ...actor, receivedAt };
  // False if it just ended: then the link opens a page that says so.
  await gateway.signal(run.id, linkCreatedSignal, record);
  const link: AnswerLink = { url: buildAnswerLinkUrl(url, token), person, expiresAt };
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
export async function revokeAnswerLinks(
  deps: ApiDeps,
  { caller, params: { id, qid }, query, idempotency, actor, receivedAt }: OperationInput<'revokeLinks'>,
  response: Response,
): Promise<void> {
  const { gateway } = deps;
  const person = query.person === undefined ? null : resolvePersonName(deps, query.person);
  const { run, earlier } = await requireActionable(gateway, caller, id, idempotency);
  const question = earlier
    ? await requireQuestion(gateway, run, qid)
    : await requireOpenQuestion(gateway, run, qid, receivedAt);
  const result: RevokedLinks = { conversationId: id, questionId: question.id, person };
  const content = { ...actor, ...(person === null ? {} : { person }), receivedAt };
  const { id: messageId, digest } = idempotency;
  if (!earlier)
    await gateway.signal(id, revokeLinksSignal, { ...content, id: messageId, digest, questionId: question.id });
  const look = async (current: Execution, revoked: MessageResult | undefined) => {
    const isOpen = !isExecutionClosed(current) && current.memo.question?.id === question.id;
    if (revoked || isOpen) return revoked;
    // No links are left to revoke.
    throw refusalError(alreadyResolved(await requireQuestion(gateway, current, question.id)));
  };
  const applied = earlier ?? (await awaitResult(gateway, id, idempotency, look));
  response.status(applied ? 200 : 202).json(result);
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

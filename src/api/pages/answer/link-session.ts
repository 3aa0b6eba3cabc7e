import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { canAct } from '#api/middleware/authorization';
import { isLinkRevoked } from '#api/services/answer-links';
import { readQuestion } from '#api/services/read-conversation';
import { verifyAnswerLinkToken } from '#channels/answer-link-token';
import type { Question } from '#contract/question';

/** A person whose link is valid, and what it shows. */
export interface LinkHolder {
  token: string;
  person: string;
  /** Their name in the outcome, with the person who granted the link and chose that name. */
  answeredBy: string;
  caller: Principal;
  question: Question;
  title: string;
}

export type LinkSession =
  | { isAllowed: true; holder: LinkHolder }
  | { isAllowed: false; reason: 'unknown' | 'revoked' }
  | { isAllowed: false; reason: 'forbidden'; person: string };

/** Opens the link if it is valid and its person may answer. A stranger learns nothing from a refusal. */
export async function openLinkSession(deps: ApiDeps, token: string): Promise<LinkSession> {
  const claims = verifyAnswerLinkToken(deps.secret, token);
  const run = claims && (await deps.gateway.find(claims.conversationId));
  if (!run) return { isAllowed: false, reason: 'unknown' };
  if (isLinkRevoked(run, claims)) return { isAllowed: false, reason: 'revoked' };
  const { person, grant } = claims;
  const principal = deps.principalFor(person);
  const caller = grant ? { ...principal, holdsLink: true as const } : principal;
  if (!canAct(caller, run.memo.start.access)) return { isAllowed: false, reason: 'forbidden', person };
  const question = await readQuestion(deps.gateway, run, claims.questionId);
  // A conversation id may be reused once the conversation is forgotten; a different deadline shows that it is another
  // question.
  const deadline = question?.expiresAt ? Date.parse(question.expiresAt) : null;
  if (!question || deadline !== claims.expiresAt) return { isAllowed: false, reason: 'unknown' };
  const { title } = run.memo.conversation;
  const answeredBy = grant?.by ? `${person} (invited by ${grant.by})` : person;
  return { isAllowed: true, holder: { token, person, answeredBy, caller, title, question } };
}

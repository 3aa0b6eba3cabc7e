import type { ApiDeps } from '#api/dependencies';
import type { Principal } from '#api/middleware/authentication';
import { canAct } from '#api/middleware/authorization';
import { ApiError } from '#api/middleware/errors';
import { isLinkRevoked } from '#api/services/answer-links';
import { readQuestion } from '#api/services/read-conversation';
import type { Execution } from '#api/temporal/execution';
import { type AnswerLinkClaims, verifyAnswerLinkToken } from '#channels/answer-link-token';
import type { Question } from '#contract/question';

/** Somebody who may be shown the question. */
export interface LinkHolder {
  token: string;
  person: string;
  /** As the outcome names them: with who let them in, since that one chose the name. */
  by: string;
  caller: Principal;
  /** As it stands now. */
  question: Question;
  /** Of the conversation. */
  title: string;
}

export type LinkSession =
  | { may: true; guest: LinkHolder }
  | { may: false; why: 'unknown' | 'revoked' }
  | { may: false; why: 'not yours'; person: string };

/** Whom a link lets in, and to what. Whatever is wrong with one, a stranger learns nothing by it. */
export async function openLinkSession(context: ApiDeps, token: string): Promise<LinkSession> {
  const link = verifyAnswerLinkToken(context.secret, token);
  const run = link && (await find(context, link));
  if (!run) return { may: false, why: 'unknown' };
  if (isLinkRevoked(run, link)) return { may: false, why: 'revoked' };
  const caller = callerBy(context, link);
  const { person } = link;
  if (!canAct(caller, run.memo.start.access)) return { may: false, why: 'not yours', person };
  const question = await orNothing(readQuestion(context.gateway, run, link.question));
  // Once a conversation is forgotten its id may be given to another, whose question this is not.
  if (!question || deadlineOf(question) !== link.until) return { may: false, why: 'unknown' };
  const { title } = run.memo.conversation;
  const by = link.granted?.by ? `${person} (let in by ${link.granted.by})` : person;
  return { may: true, guest: { token, person, by, caller, title, question } };
}

function callerBy(context: ApiDeps, { person, granted }: AnswerLinkClaims): Principal {
  const caller = context.callerNamed(person);
  return granted ? { ...caller, holdsLink: true } : caller;
}

function find({ gateway }: ApiDeps, { conversation }: AnswerLinkClaims): Promise<Execution | undefined> {
  return orNothing(gateway.find(conversation));
}

const NOT_THERE = ['conversation_not_found', 'question_not_found'];

async function orNothing<T>(looking: Promise<T>): Promise<T | undefined> {
  return looking.catch((error: unknown) => {
    if (error instanceof ApiError && NOT_THERE.includes(error.code)) return undefined;
    throw error;
  });
}

function deadlineOf({ expiresAt }: Question): number | null {
  return expiresAt === null ? null : Date.parse(expiresAt);
}

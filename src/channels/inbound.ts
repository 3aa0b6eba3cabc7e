import type { ConversationLinks } from '#contract/conversation';
import type { Person } from '#contract/people';
import type { ProblemCode } from '#contract/problem';
import type { Question } from '#contract/question';
import type { AnswerRefusal, AnswerResult } from '#contract/responses';
import type { ConversationState } from '#core/conversation/state';
import type { Log } from '#infra/log';

/** An answer or a decline that came in on a channel. */
export interface InboundSubmission {
  kind: 'answer' | 'decline';
  /** The name of the person, who has the rights of that name. */
  person: string;
  /** The name of the channel. */
  via: string;
  conversationId: string;
  questionId: string;
  content: { answer?: unknown; answers?: unknown; comment?: string; reason?: string };
  receivedAt: number;
  /** Equal for every repeated delivery of this submission, and for no other. */
  identity: unknown[];
  /** Called once the submission is durable. */
  onDurable?(): void;
}

export interface FoundQuestion {
  status: 'found';
  question: Question;
  /** The title of the conversation. */
  title: string;
  areLinksRevoked: boolean;
}

/** What the API offers to the inbound side of a channel. */
export interface InboundDeps {
  submitAnswer(submission: InboundSubmission): Promise<AnswerResult>;
  /**
   * Finds the question, if this person may answer it. `wasAskedAt` says if it is the one that was asked then, since a
   * conversation id may be reused once the conversation is forgotten.
   */
  findQuestion(
    person: string,
    conversationId: string,
    questionId: string,
    wasAskedAt: (time: string) => boolean,
  ): Promise<FoundQuestion | AnswerRefusal>;
  /** Returns who may answer in this conversation, if this person is among them. Throws if Temporal is unavailable. */
  findAccess(person: string, conversationId: string): Promise<ConversationState['access'] | undefined>;
  buildLinks(conversationId: string): ConversationLinks;
  people: readonly Person[];
  /** No API keys are configured, so everyone may answer. */
  allowAnyone: boolean;
  secret: string;
  log: Log;
  now(): number;
}

/** Refuses a request: the API replies with the problem of this code. */
export class InboundError extends Error {
  constructor(
    readonly code: ProblemCode,
    detail: string,
  ) {
    super(detail);
  }
}

import type { Question, QuestionOutcome } from '#contract/question';
import type { Scenario } from './scenario/scenario';

/** One request and what came back; no status where nothing did. */
export interface RequestAttempt {
  api: string;
  sentAt: number;
  repliedAt: number;
  status?: number;
  code?: string;
  detail?: string;
  question?: Question;
}

export type UserActionKind = 'start' | 'answer' | 'decline' | 'message' | 'cancel';

/** One action of a user, however often it had to be sent. Its id is the idempotency key and is part of what was sent. */
export interface UserAction {
  id: string;
  kind: UserActionKind;
  conversation: string;
  question?: string;
  body: Record<string, unknown>;
  /** Sent with an Idempotency-Key header. */
  hasIdempotencyKey: boolean;
  /** Invalid on purpose: it must be refused. */
  isInvalid: boolean;
  attempts: RequestAttempt[];
}

/** A question as a read showed it: it has to be true as well. */
export interface ObservedQuestion {
  conversation: string;
  question: string;
  status: Question['status'];
  outcome: QuestionOutcome | null;
  observedAt: number;
}

/** Everything that happened in one conversation. */
export interface ConversationLog {
  scenario: Scenario;
  conversation: string;
  actions: UserAction[];
  observations: ObservedQuestion[];
  /** Conversations of sub-agents that asked something. */
  subAgentConversations: Set<string>;
  /** Numbers of the entries that somebody who watched it live was sent. */
  watched?: { from: number; numbers: number[] };
  /** Actions that run in the background, beside those in sequence. */
  background: Promise<unknown>[];
  /** Problems seen during the run that the records cannot show. */
  problems: string[];
  waitingSince: number;
  /** How long it took to move after the faults were over. */
  recoveredMs?: number;
}

export interface ChaosEventLog {
  conversations: ConversationLog[];
  nextId(story: ConversationLog): string;
}

export function createChaosEventLog(): ChaosEventLog {
  const counts = new Map<string, number>();
  return {
    conversations: [],
    nextId({ scenario }) {
      const count = (counts.get(scenario.name) ?? 0) + 1;
      counts.set(scenario.name, count);
      return `act${scenario.name}x${count}`;
    },
  };
}

const ACTION_ID = /\bact\d+x\d+\b/;

/** The id of the action that caused it, if it was one. */
export function findActionId(value: unknown): string | undefined {
  return ACTION_ID.exec(JSON.stringify(value) ?? '')?.[0];
}

/** Replies that say what became of it, or will: to the rest one sends the same again. */
export function isFinalReply({ status }: RequestAttempt): boolean {
  return status !== undefined && status < 500 && status !== 429;
}

export function listFinalReplies({ attempts }: UserAction): RequestAttempt[] {
  return attempts.filter(isFinalReply);
}

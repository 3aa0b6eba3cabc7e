import type { Question, QuestionOutcome } from '#contract/question';
import type { Scenario } from './scenario/scenario';

/** One request and its reply; no status if there was no reply. */
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

/** One action of a user, including all retries. Its id is the idempotency key and is part of the request body. */
export interface UserAction {
  id: string;
  kind: UserActionKind;
  conversation: string;
  question?: string;
  body: Record<string, unknown>;
  /** Sent with an Idempotency-Key header. */
  hasIdempotencyKey: boolean;
  /** Invalid on purpose: it must be rejected. */
  isInvalid: boolean;
  attempts: RequestAttempt[];
}

/** A question as a read returned it, which must be consistent with the final state. */
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
  /** Ids of the entries that a live viewer received. */
  watched?: { from: number; numbers: number[] };
  /** Actions that run in the background, beside those in sequence. */
  background: Promise<unknown>[];
  /** Problems seen during the run that the records cannot show. */
  problems: string[];
  waitingSince: number;
  /** Time until it progressed after the faults were over. */
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

/** Returns the id of the user action that caused the value, if any. */
export function findActionId(value: unknown): string | undefined {
  return ACTION_ID.exec(JSON.stringify(value) ?? '')?.[0];
}

/** Whether the reply states the outcome or accepts the action. After other replies, clients retry. */
export function isFinalReply({ status }: RequestAttempt): boolean {
  return status !== undefined && status < 500 && status !== 429;
}

export function listFinalReplies({ attempts }: UserAction): RequestAttempt[] {
  return attempts.filter(isFinalReply);
}

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

/** What a person did: once, however often it had to be sent. Its id is its key and stands in what was sent. */
export interface UserAction {
  id: string;
  deed: UserActionKind;
  conversation: string;
  question?: string;
  body: Record<string, unknown>;
  /** Sent with an Idempotency-Key. */
  isKeyed: boolean;
  /** It must be refused. */
  isWrong: boolean;
  tries: RequestAttempt[];
}

/** Something seen while reading: it has to be true as well. */
export interface ObservedQuestion {
  conversation: string;
  question: string;
  status: Question['status'];
  outcome: QuestionOutcome | null;
  at: number;
}

/** One conversation's part of everything that happened. */
export interface ConversationLog {
  play: Scenario;
  conversation: string;
  acts: UserAction[];
  sightings: ObservedQuestion[];
  /** Those of sub-agents that asked. */
  helpers: Set<string>;
  /** Numbers of the entries that somebody who watched it live was sent. */
  watched?: { from: number; numbers: number[] };
  /** Acts that are still under way, beside what is done in turn. */
  loose: Promise<unknown>[];
  /** What was wrong on the way, where it cannot be told from what was written down. */
  troubles: string[];
  waitingSince: number;
  /** How long it took to move after the faults were over. */
  recoveredMs?: number;
}

export interface ChaosEventLog {
  stories: ConversationLog[];
  nextId(story: ConversationLog): string;
}

export function createChaosEventLog(): ChaosEventLog {
  const counts = new Map<string, number>();
  return {
    stories: [],
    nextId({ play }) {
      const count = (counts.get(play.name) ?? 0) + 1;
      counts.set(play.name, count);
      return `act${play.name}x${count}`;
    },
  };
}

const ACTION_ID = /\bact\d+x\d+\b/;

/** Whose doing it was, where it was somebody's. */
export function findActionId(value: unknown): string | undefined {
  return ACTION_ID.exec(JSON.stringify(value) ?? '')?.[0];
}

/** Replies that say what became of it, or will: to the rest one sends the same again. */
export function isFinalReply({ status }: RequestAttempt): boolean {
  return status !== undefined && status < 500 && status !== 429;
}

export function listFinalReplies({ tries }: UserAction): RequestAttempt[] {
  return tries.filter(isFinalReply);
}

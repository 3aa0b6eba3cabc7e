import type { Outcome, Question } from '#contract/question';
import type { Play } from './play';

/** One request and what came back; no status where nothing did. */
export interface Try {
  api: string;
  sentAt: number;
  repliedAt: number;
  status?: number;
  code?: string;
  detail?: string;
  question?: Question;
}

export type Deed = 'start' | 'answer' | 'decline' | 'message' | 'cancel';

/** What a person did: once, however often it had to be sent. Its id is its key and stands in what was sent. */
export interface Act {
  id: string;
  deed: Deed;
  conversation: string;
  question?: string;
  body: Record<string, unknown>;
  /** Sent with an Idempotency-Key. */
  isKeyed: boolean;
  /** It must be refused. */
  isWrong: boolean;
  tries: Try[];
}

/** Something seen while reading: it has to be true as well. */
export interface Sighting {
  conversation: string;
  question: string;
  status: Question['status'];
  outcome: Outcome | null;
  at: number;
}

/** One conversation's part of everything that happened. */
export interface Story {
  play: Play;
  conversation: string;
  acts: Act[];
  sightings: Sighting[];
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

export interface Ledger {
  stories: Story[];
  nextId(story: Story): string;
}

export function createLedger(): Ledger {
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

const ACT = /\bact\d+x\d+\b/;

/** Whose doing it was, where it was somebody's. */
export function actIn(value: unknown): string | undefined {
  return ACT.exec(JSON.stringify(value) ?? '')?.[0];
}

/** Replies that say what became of it, or will: to the rest one sends the same again. */
export function isReply({ status }: Try): boolean {
  return status !== undefined && status < 500 && status !== 429;
}

export function repliesOf({ tries }: Act): Try[] {
  return tries.filter(isReply);
}

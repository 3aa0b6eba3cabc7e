import { proxySinks, type Sinks, workflowInfo } from '@temporalio/workflow';
import type { Conversation } from '#contract/conversation';
import type { OnTimeout, Question, QuestionStatus } from '#contract/question';
import { channelOf } from '#core/destination';
import type { PlannedNotice } from '#core/schedule';
import type { State } from '#core/state';

/** Something that happened, for those who count. By whom and in which conversation is none of their business. */
export type Fact = { agent: string } & (
  | { is: 'begun'; how: 'new' | 'taken_up' }
  | { is: 'asked' }
  | {
      is: 'settled';
      outcome: Exclude<QuestionStatus, 'pending'>;
      via?: string;
      /** What was done as nobody had answered in time. */
      policy?: OnTimeout;
      askedAt: number;
      at: number;
      /** The conversation has a next step, and it begins now. */
      goesOn: boolean;
    }
  | { is: 'told'; channel: string; kind: PlannedNotice['kind']; outcome: 'sent' | 'failed' }
  | { is: 'compacted' }
  | { is: 'rolledOver' }
  | { is: 'ended'; status: Conversation['status']; code?: string }
);

/** Leaves no event and no command: what is counted is not what happens. Nothing is told again in a replay. */
export interface Counting extends Sinks {
  tally: { count(fact: Fact): void };
}

const { tally } = proxySinks<Counting>();

export interface Tally {
  /** Look at what has changed since the last look, now that the next step is known. */
  look(isOver: boolean): void;
  ended(): void;
}

/** Made before any message is handled, as what this run begins with was counted by whoever was there. */
export function tallyOf(state: State): Tally {
  const agent = state.agent.name;
  let open = state.question?.id;
  let settled = state.settled?.id;
  if (!workflowInfo().continuedFromExecutionRunId)
    tally.count({ is: 'begun', agent, how: state.lastEntry > 1 ? 'taken_up' : 'new' });
  return {
    look(isOver) {
      if (state.settled && state.settled.id !== settled) {
        settled = state.settled.id;
        tally.count({ is: 'settled', agent, goesOn: !isOver, ...outcomeOf(state.settled) });
      }
      if (state.question && state.question.id !== open) {
        open = state.question.id;
        tally.count({ is: 'asked', agent });
      }
    },
    ended() {
      const { status, error } = state;
      tally.count({ is: 'ended', agent, status, ...(error ? { code: error.code } : {}) });
    },
  };
}

function outcomeOf({ status, askedAt, outcome, onTimeout }: Question) {
  const isLate = status === 'timed_out';
  return {
    outcome: status === 'pending' ? ('cancelled' as const) : status,
    askedAt: Date.parse(askedAt),
    at: Date.parse(outcome?.at ?? askedAt),
    ...(isLate ? { policy: onTimeout } : { via: outcome?.via }),
  };
}

export function countNotice(state: State, notice: PlannedNotice, outcome: 'sent' | 'failed'): void {
  const { kind } = notice;
  tally.count({ is: 'told', agent: state.agent.name, channel: channelOf(notice.channel), kind, outcome });
}

export function countStep(state: State, is: 'compacted' | 'rolledOver'): void {
  tally.count({ is, agent: state.agent.name });
}

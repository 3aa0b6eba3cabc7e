import { proxySinks, type Sinks, workflowInfo } from '@temporalio/workflow';
import type { Agent } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { OnTimeout, Question, QuestionStatus } from '#contract/question';
import type { ConversationState } from '#core/conversation/state';
import { channelName } from '#core/questions/notifications';
import type { PlannedNotification } from '#core/questions/schedule';
import type { TranscriptMessage } from '#core/transcript/transcript';

/** A call of the model: how many messages it reads, and the last entry then, since a message may have been added to. */
export interface ModelCallRef {
  messageCount: number;
  lastEntryId: number;
  /** How often room was made for it before: what it reads then differs, though it be as many messages. */
  reductionCount?: number;
}

/** A call of the model for a summary of those messages. */
export interface SummaryCallRef extends ModelCallRef {
  /** The most that it may read, in bytes, and write, in tokens. */
  maxInputBytes: number;
  maxTokens: number;
  /** So much of what people said is kept nowhere else from now on. */
  droppedCount: number;
}

/** What a call of the model reads. */
export interface ModelInput {
  agent: Agent;
  messages: TranscriptMessage[];
  /** What its sub-agents are for, by name. */
  subagentDescriptions?: Record<string, string>;
}

/**
 * Hands what the model will read to the worker this run is on, which mostly runs the call too: then it need not ask
 * by query. Leaves no event, and nothing depends on it.
 */
export interface TranscriptSinks extends Sinks {
  transcripts: { cacheInput(call: ModelCallRef, reading: ModelInput): void };
}

export const { transcripts } = proxySinks<TranscriptSinks>();

/** Something that happened, for those who count. By whom and in which conversation is none of their business. */
export type MetricEvent = { agent: string } & (
  | { type: 'started'; how: 'new' | 'reopened' }
  | { type: 'asked' }
  | {
      type: 'settled';
      outcome: Exclude<QuestionStatus, 'pending'>;
      via?: string;
      /** What was done as nobody had answered in time. */
      policy?: OnTimeout;
      askedAt: number;
      at: number;
      /** The conversation has a next step, and it begins now. */
      continues: boolean;
    }
  | { type: 'notified'; channel: string; kind: PlannedNotification['kind']; outcome: 'sent' | 'failed' }
  | { type: 'compacted' }
  | { type: 'continuedAsNew' }
  | { type: 'ended'; status: Conversation['status']; code?: string }
);

/** Leaves no event and no command: what is counted is not what happens. Nothing is told again in a replay. */
export interface MetricsSinks extends Sinks {
  metrics: { record(fact: MetricEvent): void };
}

const { metrics } = proxySinks<MetricsSinks>();

export interface MetricsRecorder {
  /** Look at what has changed since the last look, now that the next step is known. */
  observe(isOver: boolean): void;
  recordEnd(): void;
}

/** Made before any message is handled, as what this run begins with was counted by whoever was there. */
export function createMetricsRecorder(state: ConversationState): MetricsRecorder {
  const agent = state.agent.name;
  let open = state.question?.id;
  let settled = state.settledQuestion?.id;
  if (!workflowInfo().continuedFromExecutionRunId)
    metrics.record({ type: 'started', agent, how: state.lastEntryId > 1 ? 'reopened' : 'new' });
  return {
    observe(isOver) {
      if (state.settledQuestion && state.settledQuestion.id !== settled) {
        settled = state.settledQuestion.id;
        metrics.record({ type: 'settled', agent, continues: !isOver, ...resolvedEvent(state.settledQuestion) });
      }
      if (state.question && state.question.id !== open) {
        open = state.question.id;
        metrics.record({ type: 'asked', agent });
      }
    },
    recordEnd() {
      const { status, error } = state;
      metrics.record({ type: 'ended', agent, status, ...(error ? { code: error.code } : {}) });
    },
  };
}

function resolvedEvent({ status, askedAt, outcome, onTimeout }: Question) {
  const isLate = status === 'timed_out';
  return {
    outcome: status === 'pending' ? ('cancelled' as const) : status,
    askedAt: Date.parse(askedAt),
    at: Date.parse(outcome?.at ?? askedAt),
    ...(isLate ? { policy: onTimeout } : { via: outcome?.via }),
  };
}

export function recordNotificationMetric(
  state: ConversationState,
  notice: PlannedNotification,
  outcome: 'sent' | 'failed',
): void {
  const { kind } = notice;
  metrics.record({ type: 'notified', agent: state.agent.name, channel: channelName(notice.channel), kind, outcome });
}

export function recordStepMetric(state: ConversationState, is: 'compacted' | 'continuedAsNew'): void {
  metrics.record({ type: is, agent: state.agent.name });
}

import { proxySinks, type Sinks, workflowInfo } from '@temporalio/workflow';
import type { Agent } from '#contract/agent';
import type { Conversation } from '#contract/conversation';
import type { OnTimeout, Question, QuestionStatus } from '#contract/question';
import type { BudgetGrant } from '#core/conversation/budget';
import type { ConversationState } from '#core/conversation/state';
import { channelName } from '#core/questions/notifications';
import type { PlannedNotification } from '#core/questions/schedule';
import type { PinnedPrefix } from '#core/transcript/prefix';
import type { TranscriptMessage } from '#core/transcript/transcript';

/** Identifies a model call: its message count and the last entry, since the last message may still grow. */
export interface ModelCallRef {
  messageCount: number;
  lastEntryId: number;
  /** How often the transcript was reduced before: the same count may then mean other messages. */
  reductionCount?: number;
  /** What all attempts together may use, under a budget. */
  allowance?: BudgetGrant['allowance'];
}

/** Identifies a summary call. */
export interface SummaryCallRef extends ModelCallRef {
  /** Limits: input in bytes, output in tokens. */
  maxInputBytes: number;
  maxTokens: number;
  /** How many more of people's messages only the summary will cover. */
  droppedCount: number;
}

/** The input of a model call. */
export interface ModelInput {
  agent: Agent;
  prefix?: PinnedPrefix;
  messages: TranscriptMessage[];
  /** Descriptions of its sub-agents, by name. */
  subagentDescriptions?: Record<string, string>;
}

/**
 * Passes the input of a model call to this worker, which usually runs the call too and then needs no query. Adds no
 * event, and nothing depends on it.
 */
export interface TranscriptSinks extends Sinks {
  transcripts: { cacheInput(call: ModelCallRef, reading: ModelInput): void };
}

export const { transcripts } = proxySinks<TranscriptSinks>();

/** An event for the metrics. Without people and conversations: metrics are not encrypted. */
export type MetricEvent = { agent: string } & (
  | { type: 'started'; how: 'new' | 'reopened' }
  | { type: 'asked' }
  | {
      type: 'settled';
      outcome: Exclude<QuestionStatus, 'pending'>;
      via?: string;
      /** The policy applied when the question timed out. */
      policy?: OnTimeout;
      askedAt: number;
      at: number;
      /** True if the conversation continues now. */
      continues: boolean;
    }
  | { type: 'notified'; channel: string; kind: PlannedNotification['kind']; outcome: 'sent' | 'failed' }
  | { type: 'compacted' }
  | { type: 'continuedAsNew' }
  | { type: 'ended'; status: Conversation['status']; code?: string }
);

/** Adds no event or command, and is not called during replay. */
export interface MetricsSinks extends Sinks {
  metrics: { record(fact: MetricEvent): void };
}

const { metrics } = proxySinks<MetricsSinks>();

export interface MetricsRecorder {
  /** Records what changed since the last call. */
  observe(isOver: boolean): void;
  recordEnd(): void;
}

/** Created before any signal is handled: the initial state was counted by the run or client before. */
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

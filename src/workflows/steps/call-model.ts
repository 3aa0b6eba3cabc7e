import { log } from '@temporalio/workflow';
import { applyModelReply } from '#core/conversation/advance';
import { type ConversationState, endConversation, isConversationFinished } from '#core/conversation/state';
import { describeSubagents } from '#core/subagents';
import { applySummary, type CompactionStep } from '#core/transcript/compaction';
import { transcriptUpTo } from '#core/transcript/transcript';
import { callModelActivity, summarizeActivity } from '#workflows/activity-options';
import { describeFailure } from '#workflows/runtime/cancel-when';
import { type ModelCallRef, type ModelInput, recordStepMetric, transcripts } from '#workflows/runtime/sinks';
import { callWithinBudget } from './budgeted-call';

/** Calls the model. The activity reads the transcript from the run, so each message is in history only once. */
export async function callModelStep(state: ConversationState, messageCount: number): Promise<void> {
  try {
    const call = createModelCallRef(state, messageCount);
    transcripts.cacheInput(call, buildModelInput(state, messageCount));
    const reply = await callWithinBudget(state, call, callModelActivity);
    if (reply) applyModelReply(state, reply, Date.now());
  } catch (error) {
    failWithoutModel(state, error);
  }
}

/** Ends the conversation because a model call failed. */
function failWithoutModel(state: ConversationState, error: unknown): void {
  // Cancelled in the same task: the first ending stands.
  if (isConversationFinished(state)) return;
  const failure = describeFailure(error, 'model_unavailable', "Can't reach the model");
  endConversation(state, 'failed', { error: failure }, Date.now());
}

/** Identifies this model call within the run. */
function createModelCallRef({ lastEntryId, contextUsage }: ConversationState, messageCount: number): ModelCallRef {
  return {
    messageCount,
    lastEntryId,
    ...(contextUsage?.reductionCount ? { reductionCount: contextUsage.reductionCount } : {}),
  };
}

/** The input of a model call at a message count; the whole transcript without one. */
export function buildModelInput(state: ConversationState, messageCount?: number): ModelInput {
  return {
    agent: { ...state.agent, ...state.override },
    prefix: state.prefix,
    messages: transcriptUpTo(state, messageCount),
    subagentDescriptions: describeSubagents(state),
  };
}

/**
 * Summarizes older turns. If the model writes no summary they are dropped without one, so that the conversation can
 * continue. If the call fails nothing is lost: the conversation fails and can be reopened whole.
 */
export async function compactStep(state: ConversationState, { do: _, ...step }: CompactionStep): Promise<void> {
  const call = { ...createModelCallRef(state, step.messageCount), ...step };
  transcripts.cacheInput(call, buildModelInput(state, step.messageCount));
  try {
    const summary = await callWithinBudget(state, call, summarizeActivity);
    if (!summary) return;
    if (summary.text === null) log.warn('Failed to summarize older messages', { why: summary.reason });
    applySummary(state, step, summary.text ?? undefined);
    recordStepMetric(state, 'compacted');
  } catch (error) {
    failWithoutModel(state, error);
  }
}

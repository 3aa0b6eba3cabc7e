import { ApplicationFailure, log } from '@temporalio/workflow';
import { addUsage, applyModelReply } from '#core/conversation/advance';
import { type ConversationState, endConversation, isConversationFinished } from '#core/conversation/state';
import { describeSubagents } from '#core/subagents';
import { applySummary, type CompactionStep } from '#core/transcript/compaction';
import { transcriptUpTo } from '#core/transcript/transcript';
import { callModelActivity, summarizeActivity } from '#workflows/activity-options';
import { cancelWhenFinished, describeFailure } from '#workflows/runtime/cancel-when';
import { type ModelCallRef, type ModelInput, recordStepMetric, transcripts } from '#workflows/runtime/sinks';

/** Ask the model what comes next. It reads the transcript from the run itself, so each message is in history once. */
export async function callModelStep(state: ConversationState, messageCount: number): Promise<void> {
  try {
    const call = createModelCallRef(state, messageCount);
    transcripts.cacheInput(call, buildModelInput(state, messageCount));
    const reply = await cancelWhenFinished(state, () => callModelActivity(call));
    if (isConversationFinished(state)) return;
    if (!reply) throw ApplicationFailure.create({ message: 'The reply of the model could not be read back.' });
    applyModelReply(state, reply, Date.now());
  } catch (error) {
    // Cancelled in the same task: it ended once, and that stands.
    if (isConversationFinished(state)) return;
    const { code, message } = describeFailure(error, 'model_unavailable', 'The model could not be reached');
    endConversation(state, 'failed', { error: { code, message } }, Date.now());
  }
}

/** One call of the model among all of this run. */
function createModelCallRef({ lastEntryId, contextUsage }: ConversationState, messageCount: number): ModelCallRef {
  return {
    messageCount,
    lastEntryId,
    ...(contextUsage?.reductionCount ? { reductionCount: contextUsage.reductionCount } : {}),
  };
}

/** What a call of the model at this many messages reads; without a number, all of it. */
export function buildModelInput(state: ConversationState, messageCount?: number): ModelInput {
  return {
    agent: state.agent,
    messages: transcriptUpTo(state, messageCount),
    subagentDescriptions: describeSubagents(state),
  };
}

/**
 * Let the older turns be summarised. Where the model writes no summary they go without one: better than a conversation that
 * cannot go on. Where the call fails nothing is lost: the conversation fails as at any call, and can be taken up whole.
 */
export async function compactStep(state: ConversationState, { do: _, ...step }: CompactionStep): Promise<void> {
  const call = { ...createModelCallRef(state, step.messageCount), ...step };
  transcripts.cacheInput(call, buildModelInput(state, step.messageCount));
  try {
    const summary = await cancelWhenFinished(state, () => summarizeActivity(call));
    // Ended meanwhile, it stays as it was; what people said while it was written waits in the queue.
    if (isConversationFinished(state)) return;
    if (!summary) throw ApplicationFailure.create({ message: 'The summary could not be read back.' });
    addUsage(state, summary.usage);
    if (summary.text === null) log.warn('No summary could be made', { why: summary.reason });
    applySummary(state, step, summary.text ?? undefined);
    recordStepMetric(state, 'compacted');
  } catch (error) {
    if (isConversationFinished(state)) return;
    const failure = describeFailure(error, 'model_unavailable', 'The model could not be reached');
    endConversation(state, 'failed', { error: failure }, Date.now());
  }
}

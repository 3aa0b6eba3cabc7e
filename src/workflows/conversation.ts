import { ApplicationFailure, CancellationScope, setHandler } from '@temporalio/workflow';
import { advance } from '#core/conversation/advance';
import { applyBudgetGrant, applyBudgetRequest, applyBudgetSettlement } from '#core/conversation/budget';
import { applyCancel, applyLinkCreation, applyLinkRevocation, applyUserMessage } from '#core/conversation/messages';
import { enforceSizeLimit } from '#core/conversation/size-limit';
import type { ConversationState } from '#core/conversation/state';
import { selectChanges, toConversation } from '#core/projections';
import { applyAnswer, applyDecline } from '#core/questions/resolve';
import { buildSubagentReport, type SubagentReport } from '#core/subagents';
import { findArchivableEntries, selectTimeline } from '#core/timeline';
import { remeasureTranscript } from '#core/transcript/token-budget';
import { continueConversationAsNew, createArchiver, shouldContinueAsNew } from './continue-as-new';
import * as messages from './messages';
import { createNotifier } from './notifications';
import { parkUntilChange } from './park';
import { setOrderedSignalHandlers } from './runtime/ordered-signals';
import { createMetricsRecorder, type MetricsRecorder, recordStepMetric } from './runtime/sinks';
import { buildModelInput, callModelStep, compactStep } from './steps/call-model';
import { runSubagentsStep } from './steps/run-subagents';
import { runToolStep } from './steps/run-tool';
import { createPublisher } from './visibility';

/**
 * One conversation, from its first message to its end. Its state is its input and its result. A sub-agent returns only
 * a report, because its result goes into the parent's history.
 */
export async function conversation(...input: [ConversationState]): Promise<ConversationState | SubagentReport> {
  const [state] = input;
  // Fails the task, which another worker can repeat: this one lacks the codec or key of the input.
  if (input.length > 0 && state === undefined) throw new Error('This worker cannot decode the input.');
  if (state?.version !== 2) {
    throw ApplicationFailure.nonRetryable('The input is not a conversation. Start conversations with the Parley API.');
  }
  remeasureTranscript(state);
  // Created before the handlers: setting a handler delivers buffered signals at once.
  const publish = createPublisher(state);
  const metrics = createMetricsRecorder(state);
  setOrderedSignalHandlers([
    [messages.answerQuestionSignal, (raw) => void applyAnswer(state, raw, Date.now())],
    [messages.declineQuestionSignal, (raw) => void applyDecline(state, raw, Date.now())],
    [messages.cancelConversationSignal, (raw) => void applyCancel(state, raw, Date.now())],
    [messages.addMessageSignal, (raw) => void applyUserMessage(state, raw, Date.now())],
    [messages.revokeLinksSignal, (raw) => void applyLinkRevocation(state, raw, Date.now())],
    [messages.linkCreatedSignal, (raw) => applyLinkCreation(state, raw, Date.now())],
    [messages.requestBudgetSignal, (raw) => applyBudgetRequest(state, raw)],
    [messages.grantBudgetSignal, (raw) => applyBudgetGrant(state, raw)],
    [messages.settleBudgetSignal, (raw) => applyBudgetSettlement(state, raw)],
  ]);
  setHandler(messages.getStateQuery, () => toConversation(state));
  setHandler(messages.getTimelineQuery, (after) => selectTimeline(state, after));
  setHandler(messages.getChangesQuery, (after) => selectChanges(state, after));
  setHandler(messages.getMessageResultQuery, (id) => state.messageResults.find((verdict) => verdict.id === id) ?? null);
  setHandler(messages.getEntriesQuery, (from, to) => findArchivableEntries(state, from, to));
  setHandler(messages.getTranscriptQuery, (count) => buildModelInput(state, count));
  // Temporal's own cancel acts like `cancelConversation`: the run ends normally, with its state as the result.
  CancellationScope.current().cancelRequested.catch(() => applyCancel(state, { via: 'temporal' }, Date.now()));
  return CancellationScope.nonCancellable(() => runConversation(state, publish, metrics));
}

async function runConversation(
  state: ConversationState,
  publish: () => void,
  metrics: MetricsRecorder,
): Promise<ConversationState | SubagentReport> {
  const notifier = createNotifier(state, publish);
  const archiver = createArchiver(state);
  const serve = (isOver: boolean) => {
    metrics.observe(isOver);
    notifier.sendDue(isOver);
    publish();
  };
  for (;;) {
    const step = advance(state, Date.now());
    const isOver = step.do === 'end';
    serve(isOver);
    const pendingWork =
      isOver || shouldContinueAsNew(state)
        ? (notifier.waitForInFlight() ?? archiver.archiveOldEntries(isOver))
        : undefined;
    if (pendingWork) {
      await pendingWork;
      continue;
    }
    if (step.do === 'end') {
      metrics.recordEnd();
      return state.parent ? buildSubagentReport(state) : enforceSizeLimit(state);
    }
    if (shouldContinueAsNew(state)) {
      recordStepMetric(state, 'continuedAsNew');
      return continueConversationAsNew(state);
    }
    if (step.do === 'park') await parkUntilChange(state, () => shouldContinueAsNew(state));
    else if (step.do === 'callModel') await callModelStep(state, step.messageCount);
    else if (step.do === 'compact') await compactStep(state, step);
    else if (step.do === 'runTool') await runToolStep(state, step.call, step.input);
    else await runSubagentsStep(state, step.calls, () => serve(false));
  }
}

import type { ChannelSender } from '#channels/channel';
import { createThrottle } from '#infra/throttle';
import { createToolSet } from '#tools/tool-set';
import type { DeliveryContent, DeliveryRecipient } from '#workflows/delivery';
import type { ModelCallRef, SummaryCallRef } from '#workflows/runtime/sinks';
import { archiveEntries, type EntryRange } from './archive-entries';
import { callModel, type ModelDeps } from './call-model';
import type { ExportDeps } from './export-ended-conversation';
import { deliverOutcome, type NotificationRequest, sendNotification } from './notifications';
import { runTool, type ToolDeps, type ToolInvocation } from './run-tool';
import { summarizeTranscript } from './summarize';

export interface ActivityDeps
  extends ToolDeps,
    ExportDeps,
    Pick<ModelDeps, 'model' | 'readTranscript' | 'overloadLimitMs'> {
  channels: ChannelSender[];
}

/** All activities: one side effect each, small enough to retry. */
export function createActivities(dependencies: ActivityDeps) {
  const modelDeps = { ...dependencies, toolSet: createToolSet(dependencies.tools), throttle: createThrottle() };
  return {
    callModel: (call: ModelCallRef) => callModel(modelDeps, call),
    summarize: (call: SummaryCallRef) => summarizeTranscript(modelDeps, call),
    runTool: (invocation: ToolInvocation) => runTool(dependencies, invocation),
    sendNotification: (request: NotificationRequest) => sendNotification(dependencies, request),
    archiveEntries: (range: EntryRange) => archiveEntries(dependencies, range),
    deliverOutcome: (content: DeliveryContent, recipient: DeliveryRecipient) =>
      deliverOutcome(dependencies, content, recipient),
  };
}
export type Activities = ReturnType<typeof createActivities>;

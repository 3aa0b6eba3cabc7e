import { type ChildWorkflowHandle, condition, startChild, uuid4 } from '@temporalio/workflow';
import { type ConversationState, isConversationFinished } from '#core/conversation/state';
import { buildMemo } from '#core/projections';
import { initialSearchAttributes } from '#core/search-attributes';
import {
  createSubagentConversation,
  recordDelegations,
  type SubagentReport,
  subagentToolResult,
} from '#core/subagents';
import { recordToolResult, type SubagentCall } from '#core/tools/dispatch';
import { CONVERSATION_WORKFLOW_TYPE } from '#workflows/messages';
import { cancelWhenFinished, describeFailure } from '#workflows/runtime/cancel-when';
import { changeMarker } from '#workflows/visibility';

type SubagentToolResult = ReturnType<typeof subagentToolResult>;

/** Runs sub-agents in parallel, each in its own conversation, and records their results in order. */
export async function runSubagentsStep(
  state: ConversationState,
  calls: SubagentCall[],
  publish: () => void,
): Promise<void> {
  const subagents = calls.map(({ input }) => createSubagentConversation(state, input, `c-${uuid4()}`, Date.now()));
  recordDelegations(
    state,
    subagents.filter((sub) => sub !== undefined),
    Date.now(),
  );
  publish();
  const publisher = publishChanges(state, publish);
  const results = await cancelWhenFinished(state, () =>
    Promise.all(subagents.map((sub, at) => runSubagent(sub, calls[at]))),
  );
  publisher.stop();
  state.openSubagents = [];
  if (isConversationFinished(state) || !results) return;
  calls.forEach((call, at) => {
    recordToolResult(state, call, results[at] as SubagentToolResult, Date.now());
  });
}

/** Publishes changes while sub-agents run, which may take days. */
function publishChanges(state: ConversationState, publish: () => void): { stop(): void } {
  let isOver = false;
  const watch = async () => {
    for (;;) {
      const mark = changeMarker(state);
      await condition(() => isOver || changeMarker(state) !== mark);
      if (isOver || isConversationFinished(state)) return;
      publish();
    }
  };
  void watch();
  return {
    stop: () => {
      isOver = true;
    },
  };
}

async function runSubagent(
  subagent: ConversationState | undefined,
  call: SubagentCall | undefined,
): Promise<SubagentToolResult> {
  const name = call?.input.agent ?? '';
  if (!subagent) return { error: `This conversation has no sub-agent ${name}.` };
  try {
    return subagentToolResult(name, await (await startSubagent(subagent)).result());
  } catch (error) {
    const { message } = describeFailure(error, 'delegation_failed', `Sub-agent ${name} ended unexpectedly`);
    return { error: message };
  }
}

function startSubagent(
  subagent: ConversationState,
): Promise<ChildWorkflowHandle<(state: ConversationState) => Promise<SubagentReport>>> {
  return startChild(CONVERSATION_WORKFLOW_TYPE, {
    workflowId: subagent.id,
    args: [subagent],
    memo: { ...buildMemo(subagent) },
    typedSearchAttributes: initialSearchAttributes(subagent),
    staticSummary: subagent.title,
    // However the parent ends, the child ends normally and its question leaves the inbox.
    parentClosePolicy: 'REQUEST_CANCEL',
    cancellationType: 'TRY_CANCEL',
  });
}

import { type ChildWorkflowHandle, startChild, uuid4, workflowInfo } from '@temporalio/workflow';
import { grantBudgetCalls } from '#core/conversation/budget';
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
import { parkUntilChange } from '#workflows/park';
import { cancelWhenFinished, describeFailure } from '#workflows/runtime/cancel-when';
import { sendBudgetGrant, settleBudgetCall } from './budgeted-call';

type SubagentToolResult = ReturnType<typeof subagentToolResult>;

/** Runs sub-agents in parallel, each in its own conversation, and records their results in order. */
export async function runSubagentsStep(
  state: ConversationState,
  calls: SubagentCall[],
  serve: () => void,
): Promise<void> {
  const subagents = calls.map(({ input }) => createSubagentConversation(state, input, `c-${uuid4()}`, Date.now()));
  recordDelegations(
    state,
    subagents.filter((sub) => sub !== undefined),
    Date.now(),
  );
  let isOver = false;
  const [results] = await Promise.all([
    cancelWhenFinished(state, () =>
      Promise.all(subagents.map((sub, at) => runSubagent(state, sub, calls[at]))),
    ).finally(() => {
      isOver = true;
    }),
    serveUntil(() => isOver, state, serve),
  ]);
  state.openSubagents = [];
  if (state.budget) state.budget.calls = [];
  if (isConversationFinished(state) || !results) return;
  calls.forEach((call, at) => {
    recordToolResult(state, call, results[at] as SubagentToolResult, Date.now());
  });
}

/** Serves the conversation while sub-agents run, which may take days: it may ask about their budget meanwhile. */
async function serveUntil(isOver: () => boolean, state: ConversationState, serve: () => void): Promise<void> {
  while (!isOver() && !isConversationFinished(state)) {
    for (const grant of grantBudgetCalls(state, Date.now(), workflowInfo().historyLength))
      sendBudgetGrant(state, grant);
    serve();
    const { budget } = state;
    const calls = budget?.calls;
    await parkUntilChange(state, () => isOver() || budget?.calls !== calls);
  }
}

async function runSubagent(
  state: ConversationState,
  subagent: ConversationState | undefined,
  call: SubagentCall | undefined,
): Promise<SubagentToolResult> {
  const name = call?.input.agent ?? '';
  if (!subagent) return { error: `This conversation has no sub-agent ${name}.` };
  try {
    return subagentToolResult(name, await (await startSubagent(subagent)).result());
  } catch (error) {
    // A terminated sub-agent settles nothing, and would hold up the calls of the others.
    if (state.budgetPath) await settleBudgetCall(state, subagent.id);
    const { message } = describeFailure(error, 'delegation_failed', `Sub-agent ${name} ended unexpectedly`);
    return { error: message };
  } finally {
    if (state.budget) await settleBudgetCall(state, subagent.id);
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

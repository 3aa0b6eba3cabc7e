import { type ConversationState, isConversationFinished, type ParsedToolCall } from '#core/conversation/state';
import { recordToolResult } from '#core/tools/dispatch';
import { findMcpServer, toolSettings } from '#core/tools/grants';
import { runToolActivity, runToolOnceActivity } from '#workflows/activity-options';
import { cancelWhenFinished, describeFailure } from '#workflows/runtime/cancel-when';

/** Runs a tool as an activity. Errors go to the model, and the conversation continues. */
export async function runToolStep(
  state: ConversationState,
  call: ParsedToolCall & { run: 'activity' },
  input: unknown,
): Promise<void> {
  const { id, name, approval } = call;
  // One approval is for one run.
  const activity = call.runOnce || approval ? runToolOnceActivity : runToolActivity;
  const { grantSignatures } = state.agent;
  const settings = toolSettings(state.agent, name);
  const mcp = findMcpServer(state.agent, name);
  try {
    const outcome = await cancelWhenFinished(state, () =>
      activity.executeWithOptions({ summary: name }, [
        {
          id,
          name,
          input,
          settings,
          mcp,
          serverToolName: call.serverToolName,
          approvedDigest: approval?.digest,
          grantSignatures,
        },
      ]),
    );
    if (!isConversationFinished(state))
      recordToolResult(state, call, outcome ?? { error: 'The result could not be decoded.' }, Date.now());
  } catch (error) {
    if (isConversationFinished(state)) return;
    const unfinished = `${name} did not finish and may have run in part`;
    const { code, message } = describeFailure(error, 'tool_failed', unfinished);
    const isStopped = code === 'worker_stopped';
    recordToolResult(
      state,
      call,
      { error: isStopped ? `${unfinished}: its worker was stopped.` : message },
      Date.now(),
    );
  }
}

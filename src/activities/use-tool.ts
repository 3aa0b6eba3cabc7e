import { Context } from '@temporalio/activity';
import { clip } from '../core/json';
import type { Tool } from '../tools/tool';
import { stopped } from './stopped';

export interface ToolUse {
  id: string;
  name: string;
  input: unknown;
}

const RESULT_LENGTH = 200_000;
const BEAT_MS = 2_000;

/** Run a tool. A failure of the tool's own is an answer; only a stopped worker or a crash is retried. */
export async function useTool(
  { tools }: { tools: Tool[] },
  use: ToolUse,
): Promise<{ result: string } | { error: string }> {
  const tool = tools.find((candidate) => candidate.name === use.name);
  if (tool?.running.as !== 'activity') return { error: `There is no tool "${use.name}" on this worker.` };
  const context = Context.current();
  const signal = context.cancellationSignal;
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    const { workflowId } = context.info.workflowExecution as { workflowId: string };
    const result = await tool.running.use(use.input, { conversationId: workflowId, callId: use.id, signal });
    return { result: clip(result, RESULT_LENGTH) };
  } catch (error) {
    if (signal.aborted) throw await stopped(context);
    return { error: clip(error instanceof Error ? error.message : String(error), RESULT_LENGTH) };
  } finally {
    clearInterval(timer);
  }
}

import { Context } from '@temporalio/activity';
import type { McpServer } from '../contract/agent';
import type { Variables } from '../contract/variables';
import { digestOf } from '../core/digest';
import { clip } from '../core/json';
import type { Network } from '../network/network';
import type { McpServers } from '../tools/mcp';
import type { Tool, ToolContext } from '../tools/tool';
import { stopped } from './stopped';

export interface ToolUse {
  id: string;
  name: string;
  input: unknown;
  /** What the agent's file says beside the tool's name. */
  settings?: unknown;
  /** The server it is a tool of, and what that calls it. */
  mcp?: { name: string; config: McpServer };
  own?: string;
  /** Where a person had to approve: of the arguments that were approved. */
  digest?: string;
}

export interface Means {
  tools: Tool[];
  mcp: McpServers;
  network: Network;
  variables: Variables;
}

const RESULT_LENGTH = 200_000;
const BEAT_MS = 2_000;

/** Run a tool. A failure of the tool's own is an answer; only a stopped worker or a crash is retried. */
export async function useTool(means: Means, use: ToolUse): Promise<{ result: string } | { error: string }> {
  if (use.digest !== undefined && digestOf(use.input) !== use.digest) return { error: NOT_APPROVED };
  const context = Context.current();
  const signal = context.cancellationSignal;
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    const { workflowId } = context.info.workflowExecution as { workflowId: string };
    const { settings } = use;
    const { network, variables } = means;
    const given = { conversationId: workflowId, callId: use.id, signal, settings, network, variables };
    return { result: clip(await run(means, use, given), RESULT_LENGTH) };
  } catch (error) {
    if (signal.aborted) throw await stopped(context);
    return { error: clip(error instanceof Error ? error.message : String(error), RESULT_LENGTH) };
  } finally {
    clearInterval(timer);
  }
}

async function run({ tools, mcp }: Means, use: ToolUse, context: ToolContext): Promise<string> {
  if (use.mcp) return mcp.call(use.mcp, { name: use.name, own: use.own }, use.input, context.signal);
  const tool = tools.find((candidate) => candidate.name === use.name);
  if (tool?.running.as !== 'activity') throw new Error(`There is no tool "${use.name}" on this worker.`);
  return tool.running.use(use.input, context);
}

const NOT_APPROVED = 'Not run: the arguments are not those that were approved.';

import { Context } from '@temporalio/activity';
import type { McpServer } from '#contract/agent';
import type { Variables } from '#contract/variables';
import { digestOf } from '#core/digest';
import type { Network } from '#network/network';
import type { Vouches } from '#signing/pinned';
import type { Store } from '#storage/store';
import type { McpServers } from '#tools/mcp';
import type { Tool, ToolContext } from '#tools/tool';
import { notGranted } from './grants';
import { heardOf, KEPT_LENGTH, readKept } from './keep-result';
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
  /** Those of the agent. */
  seals?: unknown;
  /** Where a person had to approve: of the arguments that were approved. */
  digest?: string;
}

export interface Means {
  tools: Tool[];
  mcp: McpServers;
  network: Network;
  variables: Variables;
  vouches: Vouches;
  /** Where large results are kept. */
  storage?: Store;
}

const BEAT_MS = 2_000;

/** Run a tool. A failure of the tool's own is an answer; only a stopped worker or a crash is retried. */
export async function useTool(means: Means, use: ToolUse): Promise<{ result: string } | { error: string }> {
  if (use.digest !== undefined && digestOf(use.input) !== use.digest) return { error: NOT_APPROVED };
  if (!isGranted(means, use)) return { error: notGranted(use.mcp ? use.mcp.name : use.name) };
  const context = Context.current();
  const signal = context.cancellationSignal;
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    const { workflowId } = context.info.workflowExecution as { workflowId: string };
    const { settings } = use;
    const { network, variables, storage } = means;
    const given = { conversationId: workflowId, callId: use.id, signal, settings, network, variables };
    const kept = storage && {
      resultLength: KEPT_LENGTH,
      readKept: (handle: string) => readKept(storage, workflowId, handle),
    };
    const done = await run(means, use, { ...given, ...kept }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    if (signal.aborted && 'error' in done) throw await stopped(context);
    if ('error' in done) return { error: await heardOf(storage, done.error) };
    return { result: await heardOf(storage, done.result) };
  } finally {
    clearInterval(timer);
  }
}

/** Whoever can reach Temporal can start a conversation that says it has any agent: it must not run programs of theirs here. */
function isGranted({ vouches }: Means, { name, settings, mcp, seals }: ToolUse): boolean {
  if (mcp) return vouches({ server: mcp.config }, seals);
  return Object.keys(Object(settings)).length === 0 || vouches({ tool: name, settings }, seals);
}

async function run({ tools, mcp }: Means, use: ToolUse, context: ToolContext): Promise<string> {
  const { signal, resultLength } = context;
  if (use.mcp) return mcp.call(use.mcp, { name: use.name, own: use.own }, use.input, signal, resultLength);
  const tool = tools.find((candidate) => candidate.name === use.name);
  if (tool?.running.as !== 'activity') throw new Error(`There is no tool "${use.name}" on this worker.`);
  return tool.running.use(use.input, context);
}

const NOT_APPROVED = 'Not run: the arguments are not those that were approved.';

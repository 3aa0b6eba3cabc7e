import { Context } from '@temporalio/activity';
import type { GrantVerifier } from '#agents/grant-signature';
import type { McpServerConfig } from '#contract/agent';
import { sha256Digest } from '#core/digest';
import type { HttpClient } from '#infra/http-client/client';
import type { ObjectStore } from '#infra/storage/object-store';
import type { EnvironmentVariables } from '#tools/interpolate-variables';
import type { McpServers } from '#tools/mcp/servers';
import type { Tool, ToolContext } from '#tools/tool';
import { toCancellationError } from './retry';
import { MAX_STORED_RESULT_LENGTH, readStoredToolResult, truncateOrStoreResult } from './store-result';
import { notGrantedMessage } from './tool-grants';

export interface ToolInvocation {
  id: string;
  name: string;
  input: unknown;
  /** What the agent's file says beside the tool's name. */
  settings?: unknown;
  /** The server it is a tool of, and what that calls it. */
  mcp?: { name: string; config: McpServerConfig };
  own?: string;
  /** Those of the agent. */
  seals?: unknown;
  /** Where a person had to approve: of the arguments that were approved. */
  digest?: string;
}

export interface ToolDeps {
  tools: Tool[];
  mcp: McpServers;
  network: HttpClient;
  variables: EnvironmentVariables;
  vouches: GrantVerifier;
  /** Where large results are kept. */
  storage?: ObjectStore;
}

const TOOL_HEARTBEAT_MS = 2_000;

/** Run a tool. A failure of the tool's own is an answer; only a stopped worker or a crash is retried. */
export async function runTool(means: ToolDeps, use: ToolInvocation): Promise<{ result: string } | { error: string }> {
  if (use.digest !== undefined && sha256Digest(use.input) !== use.digest) return { error: NOT_APPROVED };
  if (!isToolGranted(means, use)) return { error: notGrantedMessage(use.mcp ? use.mcp.name : use.name) };
  const context = Context.current();
  const signal = context.cancellationSignal;
  const timer = setInterval(() => context.heartbeat(), TOOL_HEARTBEAT_MS);
  try {
    const { workflowId } = context.info.workflowExecution as { workflowId: string };
    const { settings } = use;
    const { network, variables, storage } = means;
    const given = { conversationId: workflowId, callId: use.id, signal, settings, network, variables };
    const kept = storage && {
      resultLength: MAX_STORED_RESULT_LENGTH,
      readKept: (handle: string) => readStoredToolResult(storage, workflowId, handle),
    };
    const done = await invokeTool(means, use, { ...given, ...kept }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    if (signal.aborted && 'error' in done) throw await toCancellationError(context);
    if ('error' in done) return { error: await truncateOrStoreResult(storage, done.error) };
    return { result: await truncateOrStoreResult(storage, done.result) };
  } finally {
    clearInterval(timer);
  }
}

/** Whoever can reach Temporal can start a conversation that says it has any agent: it must not run programs of theirs here. */
function isToolGranted({ vouches }: ToolDeps, { name, settings, mcp, seals }: ToolInvocation): boolean {
  if (mcp) return vouches({ server: mcp.config }, seals);
  return Object.keys(Object(settings)).length === 0 || vouches({ tool: name, settings }, seals);
}

async function invokeTool({ tools, mcp }: ToolDeps, use: ToolInvocation, context: ToolContext): Promise<string> {
  const { signal, resultLength } = context;
  if (use.mcp) return mcp.call(use.mcp, { name: use.name, own: use.own }, use.input, signal, resultLength);
  const tool = tools.find((candidate) => candidate.name === use.name);
  if (tool?.running.as !== 'activity') throw new Error(`There is no tool "${use.name}" on this worker.`);
  return tool.running.use(use.input, context);
}

const NOT_APPROVED = 'Not run: the arguments are not those that were approved.';

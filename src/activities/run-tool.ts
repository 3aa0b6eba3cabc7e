import { Context } from '@temporalio/activity';
import type { GrantVerifier } from '#agents/grant-signature';
import type { McpServerConfig } from '#contract/agent';
import { sha256Digest } from '#core/digest';
import type { HttpClient } from '#infra/http-client/client';
import type { ObjectStore } from '#infra/storage/object-store';
import type { EnvironmentVariables } from '#tools/interpolate-variables';
import type { McpServers } from '#tools/mcp/servers';
import type { Tool, ToolContext } from '#tools/tool';
import { toCancellationError } from './cancellation';
import { MAX_STORED_RESULT_LENGTH, readStoredToolResult, truncateOrStoreResult } from './store-result';
import { notGrantedMessage } from './tool-grants';

export interface ToolInvocation {
  id: string;
  name: string;
  input: unknown;
  /** Settings beside the tool's name in the agent file. */
  settings?: unknown;
  /** The MCP server, and the server's own name for the tool. */
  mcp?: { name: string; config: McpServerConfig };
  serverToolName?: string;
  /** The signatures pinned with the agent. */
  grantSignatures?: unknown;
  /** Digest of the approved arguments, if a person had to approve. */
  approvedDigest?: string;
}

export interface ToolDeps {
  tools: Tool[];
  mcp: McpServers;
  network: HttpClient;
  variables: EnvironmentVariables;
  verifyGrant: GrantVerifier;
  /** Stores large results. */
  storage?: ObjectStore;
}

const TOOL_HEARTBEAT_MS = 2_000;

/** Runs a tool. The tool's own errors are results; only a stopped or crashed worker causes a retry. */
export async function runTool(
  deps: ToolDeps,
  invocation: ToolInvocation,
): Promise<{ result: string } | { error: string }> {
  if (invocation.approvedDigest !== undefined && sha256Digest(invocation.input) !== invocation.approvedDigest)
    return { error: NOT_APPROVED };
  if (!isToolGranted(deps, invocation))
    return { error: notGrantedMessage(invocation.mcp ? invocation.mcp.name : invocation.name) };
  const context = Context.current();
  const signal = context.cancellationSignal;
  const timer = setInterval(() => context.heartbeat(), TOOL_HEARTBEAT_MS);
  try {
    const { workflowId } = context.info.workflowExecution as { workflowId: string };
    const { settings } = invocation;
    const { network, variables, storage } = deps;
    const toolContext = { conversationId: workflowId, callId: invocation.id, signal, settings, network, variables };
    const storedResults = storage && {
      maxResultLength: MAX_STORED_RESULT_LENGTH,
      readStoredResult: (handle: string) => readStoredToolResult(storage, workflowId, handle),
    };
    const outcome = await invokeTool(deps, invocation, { ...toolContext, ...storedResults }).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
    );
    if (signal.aborted && 'error' in outcome) throw await toCancellationError(context);
    if ('error' in outcome) return { error: await truncateOrStoreResult(storage, outcome.error) };
    return { result: await truncateOrStoreResult(storage, outcome.result) };
  } finally {
    clearInterval(timer);
  }
}

/**
 * Checks the grant: any Temporal client could start a conversation with a made-up agent, which must not run programs
 * here.
 */
function isToolGranted({ verifyGrant }: ToolDeps, { name, settings, mcp, grantSignatures }: ToolInvocation): boolean {
  if (mcp) return verifyGrant({ server: mcp.config }, grantSignatures);
  return Object.keys(Object(settings)).length === 0 || verifyGrant({ tool: name, settings }, grantSignatures);
}

async function invokeTool({ tools, mcp }: ToolDeps, invocation: ToolInvocation, context: ToolContext): Promise<string> {
  if (invocation.mcp) return mcp.call(invocation.mcp, invocation, invocation.input, context.signal);
  const tool = tools.find((candidate) => candidate.name === invocation.name);
  if (tool?.execution.kind !== 'activity') throw new Error(`This worker has no tool "${invocation.name}".`);
  return tool.execution.execute(invocation.input, context);
}

const NOT_APPROVED = 'Not run: the arguments differ from the approved ones.';

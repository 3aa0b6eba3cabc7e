import type { Context } from '@temporalio/activity';
import type { GrantVerifier } from '#agents/grant-signature';
import type { Agent } from '#contract/agent';
import type { ModelReply } from '#core/conversation/advance';
import type { ParsedToolCall } from '#core/conversation/state';
import { jsonBytes } from '#core/json';
import type { ContentBlock } from '#core/transcript/transcript';
import type { createThrottle } from '#infra/throttle';
import { type Model, type ModelCall, ModelError, type ModelResponse } from '#models/model';
import { buildSystemPrompt } from '#models/prompts/system';
import { excludeUnguardedServers } from '#tools/mcp/catalog';
import type { McpServers } from '#tools/mcp/servers';
import type { ToolSet } from '#tools/tool-set';
import type { ModelCallRef, ModelInput } from '#workflows/runtime/sinks';
import { attemptModelCall } from './model-retry';
import { selectGrantedServers } from './tool-grants';

/** Calls the model once. Partial text goes out as heartbeats. */
export function callModel(deps: ModelDeps, call: ModelCallRef): Promise<ModelReply> {
  const { model, toolSet } = deps;
  return attemptModelCall(deps.overloadLimitMs, async (context, onText) => {
    const { agent, catalog, request } = await buildModelRequest(deps, context, call);
    try {
      const response = await model.generate({ ...request, onText });
      const contextWindow = model.contextWindow(agent.model);
      const reply = limitReplySize(toModelReply(response, agent, (use) => toolSet.parseCall(use, agent, catalog)));
      return { ...reply, ...(contextWindow ? { contextWindow } : {}) };
    } catch (error) {
      if (error instanceof ModelError && error.overflow) return overflowReply(error);
      throw error;
    }
  });
}

/** Not a failure: the conversation reduces its transcript and calls again. */
function overflowReply({ message, overflow }: ModelError): ModelReply {
  const usage = { inputTokens: 0, outputTokens: 0 };
  return {
    content: [],
    calls: [],
    usage,
    overflow,
    error: { code: 'context_full', message: `${message}. ${CONTEXT_FULL}` },
  };
}

const CONTEXT_FULL =
  "The conversation does not fit the model's context window, even with older messages summarized. Send a shorter message, start a new conversation, or reduce the agent's tools, prompt or maxTokens.";

type ToolUseBlock = ContentBlock & { type: 'tool_use' };

/**
 * Temporal rejects results over 2 MB and would repeat, and bill, the call again and again. The state allows even less.
 */
const MAX_REPLY_BYTES = 400_000;

function limitReplySize(reply: ModelReply): ModelReply {
  if (jsonBytes(reply) <= MAX_REPLY_BYTES) return reply;
  const message = "The model's reply exceeds the limit of 400 KB.";
  return { content: [], calls: [], usage: reply.usage, error: { code: 'reply_too_large', message } };
}

function toModelReply(
  response: ModelResponse,
  agent: Agent,
  parseCall: (use: ToolUseBlock) => ParsedToolCall,
): ModelReply {
  const { usage } = response;
  const isCutOff = response.stopReason === 'max_tokens' || response.stopReason === 'model_context_window_exceeded';
  const uses = response.content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  const calls = uses.map((use, index) => {
    // Only the last call can be incomplete; its arguments are not what the model meant.
    if (isCutOff && index === uses.length - 1)
      return { id: use.id, name: use.name, run: 'invalid' as const, message: CALL_CUT_OFF };
    return parseCall(use);
  });
  const error = uses.length > 0 ? undefined : stopReasonError(response.stopReason, agent);
  const isFull = error?.code === 'context_full';
  return {
    content: response.content,
    calls,
    usage,
    ...(error ? { error } : {}),
    ...(isFull ? { overflow: {} } : {}),
  };
}

const CALL_CUT_OFF =
  'Not run: the reply reached its length limit in the middle of this call. Call again with less at once.';

function stopReasonError(stopReason: string, agent: Agent): ModelReply['error'] {
  switch (stopReason) {
    case 'max_tokens':
      return {
        code: 'reply_cut_off',
        message: `The reply reached the maxTokens of agent ${agent.name} (${agent.maxTokens}). Send a message to continue, or increase maxTokens.`,
      };
    case 'model_context_window_exceeded':
      return {
        code: 'context_full',
        message: `The reply reached the end of the model's context window. ${CONTEXT_FULL}`,
      };
    case 'refusal':
      return { code: 'model_refused', message: 'The model refused to continue this conversation.' };
    default:
      return undefined;
  }
}

/** Reads a run's transcript as of a model call. */
export type TranscriptReader = (run: { workflowId: string; runId: string }, call: ModelCallRef) => Promise<ModelInput>;

export interface ModelDeps {
  model: Model;
  toolSet: ToolSet;
  mcp: McpServers;
  verifyGrant: GrantVerifier;
  throttle: ReturnType<typeof createThrottle>;
  readTranscript: TranscriptReader;
  /** How long a call may wait for a model that is overloaded. */
  overloadLimitMs: number;
}

/** Builds the request of a model call. Deterministic for a given state, so that the prompt cache is hit. */
export async function buildModelRequest(
  { toolSet, mcp, verifyGrant, throttle, readTranscript }: ModelDeps,
  context: Context,
  call: ModelCallRef,
) {
  const { agent, subagentDescriptions, messages } = await readTranscript(context.info.workflowExecution as never, call);
  const { servers, refused } = selectGrantedServers(agent, verifyGrant);
  const { tools, unreachable } = await mcp.loadCatalog(servers);
  const catalog = excludeUnguardedServers(agent, { tools, unreachable: [...unreachable, ...refused] });
  for (const { server, reason } of catalog.unreachable)
    throttle(`${server} ${reason}`, () => context.log.warn("Can't reach MCP server", { server, reason }));
  const request: Omit<ModelCall, 'onText'> = {
    model: agent.model,
    maxTokens: agent.maxTokens,
    system: buildSystemPrompt(agent, catalog.unreachable),
    tools: toolSet.definitions(agent, { mcp: catalog, subagentDescriptions }),
    messages,
    signal: context.cancellationSignal,
  };
  return { agent, catalog, request };
}

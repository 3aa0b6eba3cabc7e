import type { Context } from '@temporalio/activity';
import type { GrantVerifier } from '#agents/grant-signature';
import type { Agent } from '#contract/agent';
import type { TokenUsage } from '#contract/conversation';
import type { ModelReply } from '#core/conversation/advance';
import type { ParsedToolCall } from '#core/conversation/state';
import { jsonBytes } from '#core/json';
import { canAskPeople } from '#core/tools/grants';
import { hasPreservedThinking, isThinking, preparePrompt } from '#core/transcript/prefix';
import { maxReplyTokens } from '#core/transcript/token-budget';
import { type ContentBlock, joinTextBlocks } from '#core/transcript/transcript';
import type { createThrottle } from '#infra/throttle';
import { type Model, type ModelCall, ModelError, type ModelResponse } from '#models/model';
import { buildSystemPrompt, missingToolsSection } from '#models/prompts/system';
import { excludeUnguardedServers } from '#tools/mcp/catalog';
import type { McpServers } from '#tools/mcp/servers';
import type { ToolSet } from '#tools/tool-set';
import type { ModelCallRef, ModelInput } from '#workflows/runtime/sinks';
import { attemptModelCall } from './model-retry';
import { selectGrantedServers } from './tool-grants';

/** Calls the model once. Partial text goes out as heartbeats. */
export function callModel(deps: ModelDeps, call: ModelCallRef): Promise<ModelReply> {
  const { toolSet } = deps;
  return attemptModelCall(deps, call, async (context, model, heartbeat) => {
    const { agent, catalog, request, prefix } = await buildModelRequest(deps, context, call);
    try {
      const response = await model.generate({ ...request, onText: heartbeat.onText, onThinking: heartbeat.onThinking });
      const contextWindow = deps.model.contextWindow(agent.model);
      const reply = limitReplySize(toModelReply(response, agent, (use) => toolSet.parseCall(use, agent, catalog)));
      const { inputTokens, outputTokens } = response.usage;
      return {
        ...reply,
        prefix,
        usage: model.usage(),
        contextTokens: inputTokens + outputTokens,
        ...(contextWindow ? { contextWindow } : {}),
      };
    } catch (error) {
      if (error instanceof ModelError && error.overflow) return overflowReply(error, model.usage());
      if (error instanceof ModelError && error.isHistoryRejected)
        return rejectedReply(error, model.usage(), { repeat: 'rejectedHistory' });
      throw error;
    }
  });
}

/** Not a failure: the conversation reduces its transcript and calls again. */
function overflowReply(error: ModelError, usage: TokenUsage): ModelReply {
  const message = `${error.message}. ${CONTEXT_FULL}`;
  return rejectedReply(error, usage, { overflow: error.overflow, error: { code: 'context_full', message } });
}

/** The error counts if the call cannot be repeated. */
function rejectedReply({ code, message }: ModelError, usage: TokenUsage, outcome: Partial<ModelReply>): ModelReply {
  return { content: [], calls: [], usage, error: { code, message }, ...outcome };
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
  const { usage, content } = response;
  const error = stopReasonError(response, agent);
  if (response.stopReason === 'refusal') return { content: [], calls: [], usage, repeat: 'refused', error };
  const uses = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
  const isOnlyThinking = content.some(isThinking) && uses.length === 0 && joinTextBlocks(content) === '';
  if (response.stopReason === 'max_tokens' && isOnlyThinking)
    return { content: [], calls: [], usage, repeat: 'cutOffThinking', error };
  const isCutOff = response.stopReason === 'max_tokens' || response.stopReason === 'model_context_window_exceeded';
  const calls = uses.map((use, index) => {
    // Only the last call can be incomplete; its arguments are not what the model meant.
    if (isCutOff && index === uses.length - 1)
      return { id: use.id, name: use.name, run: 'invalid' as const, message: CALL_CUT_OFF };
    return parseCall(use);
  });
  if (uses.length > 0 || !error) return { content, calls, usage };
  return { content, calls, usage, error, ...(error.code === 'context_full' ? { overflow: {} } : {}) };
}

const CALL_CUT_OFF =
  'Not run: the reply reached its length limit in the middle of this call. Call again with less at once.';

function stopReasonError({ stopReason, refusal }: ModelResponse, agent: Agent): ModelReply['error'] {
  switch (stopReason) {
    case 'max_tokens':
      return {
        code: 'reply_cut_off',
        message: `The reply reached the maxTokens of agent ${agent.name} (${maxReplyTokens(agent)}). Send a message to continue, or increase maxTokens.`,
      };
    case 'model_context_window_exceeded':
      return {
        code: 'context_full',
        message: `The reply reached the end of the model's context window. ${CONTEXT_FULL}`,
      };
    case 'refusal':
      return { code: 'model_refused', message: `${agent.model} refused to reply${refusal ? `: ${refusal}` : '.'}` };
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

/** Builds the request of a model call. It begins as earlier ones did, so that their thinking and cache stay valid. */
export async function buildModelRequest(
  { toolSet, mcp, verifyGrant, throttle, readTranscript }: ModelDeps,
  context: Context,
  call: ModelCallRef,
) {
  const input = await readTranscript(context.info.workflowExecution as never, call);
  const { agent, subagentDescriptions } = input;
  const { servers, refused } = selectGrantedServers(agent, verifyGrant);
  const { tools, unreachable } = await mcp.loadCatalog(servers);
  const catalog = excludeUnguardedServers(agent, { tools, unreachable: [...unreachable, ...refused] });
  for (const { server, reason } of catalog.unreachable)
    throttle(`${server} ${reason}`, () => context.log.warn("Can't reach MCP server", { server, reason }));
  const current = {
    system: buildSystemPrompt(agent),
    status: missingToolsSection(catalog.unreachable),
    tools: toolSet.definitions(agent, { mcp: catalog, subagentDescriptions }),
  };
  const { prefix, messages, update } = preparePrompt(
    current,
    input.prefix,
    input.messages,
    hasPreservedThinking(agent.model),
  );
  const request: Omit<ModelCall, 'onText'> = {
    agent: agent.name,
    model: agent.model,
    maxTokens: maxReplyTokens(agent),
    thinking: agent.thinking,
    effort: agent.effort,
    waitsForPeople: canAskPeople(agent),
    system: [prefix.system, prefix.status].filter(Boolean).join('\n\n'),
    tools: prefix.tools,
    messages,
    signal: context.cancellationSignal,
  };
  return { agent, catalog, request, prefix: update };
}

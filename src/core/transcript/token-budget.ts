import type { Agent } from '#contract/agent';
import type { ModelReply } from '#core/conversation/advance';
import type { ConversationState } from '#core/conversation/state';
import { byteLength, jsonBytes } from '#core/json';
import { dropThinking, hasPreservedThinking } from './prefix';

/** Room for a reply with its thinking, if the agent file sets no limit. */
const REPLY_TOKENS = 16_000;
const THINKING_REPLY_TOKENS = 32_000;

export function maxReplyTokens({ maxTokens, model }: Pick<Agent, 'maxTokens' | 'model'>): number {
  return maxTokens ?? (hasPreservedThinking(model) ? THINKING_REPLY_TOKENS : REPLY_TOKENS);
}

/** Room for the thinking before a summary. */
const SUMMARY_THINKING_TOKENS = 16_000;
/** A model that ignored the summary prompt may follow it on the next attempt. */
export const MAX_SUMMARY_ATTEMPTS = 3;

export function maxSummaryTokens(model: string, maxTokens: number): number {
  return maxTokens + (hasPreservedThinking(model) ? SUMMARY_THINKING_TOKENS : 0);
}

/** Assumed if neither the agent file nor the API gives a context window. */
const DEFAULT_CONTEXT_WINDOW = 200_000;
/** Estimate until the API has counted. Languages differ; the next call corrects it. */
const BYTES_PER_TOKEN = 3.5;
/** Estimate for tools and system prompt until the API has counted them. */
const UNMEASURED_PROMPT_TOKENS = 3_000;
/** A longer transcript would crowd the timeline out of the state and be dropped without a summary. */
const MAX_TRANSCRIPT_BYTES = 900_000;
/** Floor for token counts: an API that reports fewer does not count. */
const MAX_BYTES_PER_TOKEN = 8;

/** Size of the next model call: what the API reported for the last one plus what was added since. */
export function estimateContextUsage(state: ConversationState): ContextUsage {
  if (state.contextUsage) return state.contextUsage;
  const bytes = jsonBytes(state.transcript);
  return { bytes, tokens: UNMEASURED_PROMPT_TOKENS + estimateTokens(bytes + byteLength(state.agent.prompt)) };
}

/** How many bytes of transcript fit into the window beside the reply, at the current bytes per token. */
export function maxTranscriptBytes(state: ConversationState): number {
  const { bytes, tokens } = estimateContextUsage(state);
  return Math.min((inputTokenBudget(state) * bytes) / tokens, MAX_TRANSCRIPT_BYTES);
}

/** The context window minus the reply, but at least half the window. */
export function inputTokenBudget(state: ConversationState): number {
  const window = effectiveContextWindow(state);
  return Math.max(window - maxReplyTokens(state.agent), window / 2);
}

export function effectiveContextWindow(state: ConversationState): number {
  const { contextWindow = DEFAULT_CONTEXT_WINDOW, reportedLimit = Number.POSITIVE_INFINITY } = state.contextUsage ?? {};
  return Math.min(state.agent.contextWindow ?? contextWindow, reportedLimit);
}

/** Records the token counts of a reply. */
export function recordModelUsage(
  state: ConversationState,
  reply: Pick<ModelReply, 'usage' | 'contextTokens' | 'contextWindow'>,
  addedBytes: number,
): void {
  const { usage: used, contextTokens = used.inputTokens + used.outputTokens, contextWindow } = reply;
  const { lastReduction: _, ...usage } = estimateContextUsage(state);
  const bytes = usage.bytes + addedBytes;
  const tokens = Math.max(contextTokens, Math.round(bytes / MAX_BYTES_PER_TOKEN));
  state.contextUsage = { ...usage, bytes, tokens, ...(contextWindow ? { contextWindow } : {}) };
}

/** Adds bytes to the estimate of the next call. */
export function addTranscriptBytes(state: ConversationState, bytes: number): void {
  if (!state.contextUsage) return;
  const { contextUsage: usage } = state;
  state.contextUsage = { ...usage, bytes: usage.bytes + bytes, tokens: usage.tokens + estimateTokens(bytes) };
}

/** Marks the window as full because the API said so, whatever the estimate was. */
export function recordOverflow(
  state: ConversationState,
  { tokens = 0, limit }: NonNullable<ModelReply['overflow']>,
): void {
  const usage: ContextUsage = { ...estimateContextUsage(state), ...(limit ? { reportedLimit: limit } : {}) };
  state.contextUsage = usage;
  state.contextUsage = { ...usage, tokens: Math.max(tokens, usage.tokens, effectiveContextWindow(state)) };
}

/** Measures again at the start of a run: continue-as-new may have shortened the transcript. */
export function remeasureTranscript(state: ConversationState): void {
  const { contextUsage: usage } = state;
  const bytes = usage ? jsonBytes(state.transcript) : 0;
  if (usage && bytes < usage.bytes)
    state.contextUsage = { ...usage, bytes, tokens: Math.round((usage.tokens * bytes) / usage.bytes) };
}

/** Allows new reductions after a user message. */
export function resetReduction(state: ConversationState): void {
  if (!state.contextUsage?.lastReduction) return;
  const { lastReduction: _, ...usage } = state.contextUsage;
  state.contextUsage = usage;
}

/** Replaces the transcript with a rewritten one, and updates the estimate. Its thinking is no longer valid. */
export function replaceTranscript(
  state: ConversationState,
  transcript: ConversationState['transcript'],
  lastReduction: ContextUsage['lastReduction'],
): void {
  const usage = estimateContextUsage(state);
  const rewritten = dropThinking(transcript);
  const bytes = jsonBytes(rewritten);
  state.sizeBytes += bytes - jsonBytes(state.transcript) - jsonBytes(state.prefix);
  state.transcript = rewritten;
  delete state.prefix;
  const tokens = Math.round((usage.tokens * bytes) / usage.bytes);
  state.contextUsage = { ...usage, bytes, tokens, lastReduction, reductionCount: (usage.reductionCount ?? 0) + 1 };
}

export function estimateTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}

/** Estimated size of the next model call. */
export interface ContextUsage {
  tokens: number;
  /** Size of the transcript as JSON. */
  bytes: number;
  /** The context window as the API lists it, and the limit it gave when it rejected a call. */
  contextWindow?: number;
  reportedLimit?: number;
  /** How often the transcript was reduced. */
  reductionCount?: number;
  /** The last reduction since the model replied. Each kind is tried once, so that it cannot loop. */
  lastReduction?: 'trim' | 'compact';
}

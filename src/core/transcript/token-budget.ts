import type { ModelReply } from '#core/conversation/advance';
import type { ConversationState } from '#core/conversation/state';
import { byteLength, jsonBytes } from '#core/json';

/** Of a model whose window nobody told. */
const DEFAULT_CONTEXT_WINDOW = 200_000;
/** Where the API has not counted yet: of most languages less, of others more, and of the next call it tells exactly. */
const BYTES_PER_TOKEN = 3.5;
/** What tools and Parley's own part of the prompt take, until the API has counted them. */
const UNMEASURED_PROMPT_TOKENS = 3_000;
/** More would crowd the timeline out of the state, and what is dropped for its bytes is dropped with no summary. */
const MAX_TRANSCRIPT_BYTES = 900_000;
/** No text has fewer tokens than this; an API that counts less does not count. */
const MAX_BYTES_PER_TOKEN = 8;

/** How much the model reads at its next call: what its API told of the last one, and what was added since. */
export function estimateContextUsage(state: ConversationState): ContextUsage {
  if (state.contextUsage) return state.contextUsage;
  const bytes = jsonBytes(state.transcript);
  return { bytes, tokens: UNMEASURED_PROMPT_TOKENS + estimateTokens(bytes + byteLength(state.agent.prompt)) };
}

/** How many bytes of transcript fit the model's window beside the reply, at the tokens that these ones come to. */
export function maxTranscriptBytes(state: ConversationState): number {
  const { bytes, tokens } = estimateContextUsage(state);
  return Math.min((inputTokenBudget(state) * bytes) / tokens, MAX_TRANSCRIPT_BYTES);
}

/** The window without room for the reply. A reply that could take more than half of it must not leave nothing to read. */
export function inputTokenBudget(state: ConversationState): number {
  const window = effectiveContextWindow(state);
  return Math.max(window - state.agent.maxTokens, window / 2);
}

function effectiveContextWindow(state: ConversationState): number {
  const { contextWindow = DEFAULT_CONTEXT_WINDOW, reportedLimit = Number.POSITIVE_INFINITY } = state.contextUsage ?? {};
  return Math.min(state.agent.contextWindow ?? contextWindow, reportedLimit);
}

/** The model has read all of it and said that much more. */
export function recordModelUsage(
  state: ConversationState,
  { usage: { inputTokens, outputTokens }, contextWindow }: Pick<ModelReply, 'usage' | 'contextWindow'>,
  addedBytes: number,
): void {
  const { lastReduction: _, ...usage } = estimateContextUsage(state);
  const bytes = usage.bytes + addedBytes;
  const tokens = Math.max(inputTokens + outputTokens, Math.round(bytes / MAX_BYTES_PER_TOKEN));
  state.contextUsage = { ...usage, bytes, tokens, ...(contextWindow ? { contextWindow } : {}) };
}

/** That many bytes more are for the model to read. */
export function addTranscriptBytes(state: ConversationState, bytes: number): void {
  if (!state.contextUsage) return;
  const { contextUsage: usage } = state;
  state.contextUsage = { ...usage, bytes: usage.bytes + bytes, tokens: usage.tokens + estimateTokens(bytes) };
}

/** Too much, says the model's API itself: it is full, whatever was reckoned. */
export function recordOverflow(
  state: ConversationState,
  { tokens = 0, limit }: NonNullable<ModelReply['overflow']>,
): void {
  const usage: ContextUsage = { ...estimateContextUsage(state), ...(limit ? { reportedLimit: limit } : {}) };
  state.contextUsage = usage;
  state.contextUsage = { ...usage, tokens: Math.max(tokens, usage.tokens, effectiveContextWindow(state)) };
}

/** Measured again: between two runs the state may have been cut down for its bytes. */
export function remeasureTranscript(state: ConversationState): void {
  const { contextUsage: usage } = state;
  const bytes = usage ? jsonBytes(state.transcript) : 0;
  if (usage && bytes < usage.bytes)
    state.contextUsage = { ...usage, bytes, tokens: Math.round((usage.tokens * bytes) / usage.bytes) };
}

/** The person spoke up: what was tried for what they said before does not count for this. */
export function resetReduction(state: ConversationState): void {
  if (!state.contextUsage?.lastReduction) return;
  const { lastReduction: _, ...usage } = state.contextUsage;
  state.contextUsage = usage;
}

/** The model reads this instead. */
export function replaceTranscript(
  state: ConversationState,
  transcript: ConversationState['transcript'],
  lastReduction: ContextUsage['lastReduction'],
): void {
  const usage = estimateContextUsage(state);
  const bytes = jsonBytes(transcript);
  state.sizeBytes += bytes - jsonBytes(state.transcript);
  state.transcript = transcript;
  const tokens = Math.round((usage.tokens * bytes) / usage.bytes);
  state.contextUsage = { ...usage, bytes, tokens, lastReduction, reductionCount: (usage.reductionCount ?? 0) + 1 };
}

function estimateTokens(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}

/** How much the model reads at its next call, as far as that is known. */
export interface ContextUsage {
  tokens: number;
  /** Of the transcript, as JSON. */
  bytes: number;
  /** As the model's API tells of the model, and what it said is the most when it refused a call. */
  contextWindow?: number;
  reportedLimit?: number;
  /** How often room was made. */
  reductionCount?: number;
  /** What was done to make room since the model last replied: each is tried once, so that nothing goes in circles. */
  lastReduction?: 'trim' | 'compact';
}

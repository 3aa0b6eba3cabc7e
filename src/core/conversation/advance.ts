import type { TokenUsage } from '#contract/conversation';
import { jsonBytes } from '#core/json';
import { canRunCall, dispatchCall, type SideEffect } from '#core/tools/dispatch';
import { type CompactionStep, reduceTranscript } from '#core/transcript/compaction';
import { hasPreservedThinking, type PrefixUpdate } from '#core/transcript/prefix';
import {
  estimateContextUsage,
  recordModelUsage,
  recordOverflow,
  replaceTranscript,
} from '#core/transcript/token-budget';
import {
  type ContentBlock,
  flushTurn,
  joinTextBlocks,
  lastTranscriptMessage,
  type TranscriptMessage,
} from '#core/transcript/transcript';
import { isWithinBudget } from './budget';
import { endExtraRoom, prepareRepeat, type RepeatReason } from './repeat-call';
import {
  addTimelineEntry,
  type ConversationState,
  endConversation,
  isConversationFinished,
  type ParsedToolCall,
  reopenConversation,
} from './state';

/** The model's reply, as the model activity returns it. */
export interface ModelReply {
  content: ContentBlock[];
  calls: ParsedToolCall[];
  /** Set if the conversation cannot continue from this reply: cut off, refused or too large. */
  error?: { code: string; message: string };
  /** Set if a different call may succeed; `error` counts if none is left to try. */
  repeat?: RepeatReason;
  /** What this call used, with failed attempts. */
  usage: TokenUsage;
  /** Size of the context after this call, if the API was asked more than once. */
  contextTokens?: number;
  /** Set if the context window was too small, with the sizes that the model's API reported. */
  overflow?: { tokens?: number; limit?: number };
  /** The model's context window, if its API reports one. */
  contextWindow?: number;
  /** What the call told the model about its instructions and tools. */
  prefix?: PrefixUpdate;
}

/** The next side effect. `advance` has already applied every step that needs none. */
export type NextStep =
  | SideEffect
  | { do: 'callModel'; messageCount: number }
  | CompactionStep
  | { do: 'park' }
  | { do: 'end' };

/** Model calls allowed per user message. Stops an agent that would loop, and cost, forever. */
const MAX_CALLS_PER_MESSAGE = 200;

/** Applies every step that needs no side effect and returns the first one that does. */
export function advance(state: ConversationState, now: number): NextStep {
  for (;;) {
    if (isConversationFinished(state)) {
      if (state.queuedMessages.length === 0) return { do: 'end' };
      reopenConversation(state, now);
    }
    if (state.question) return { do: 'park' };
    const call = state.turn.pendingCalls[0];
    if (call) {
      const step = canRunCall(state, call, now) && dispatchCall(state, call, now);
      if (step) return step;
    } else if (!needsModelCall(state)) completeConversation(state, now);
    else if (state.modelCallsSinceMessage >= MAX_CALLS_PER_MESSAGE)
      endConversation(state, 'failed', { error: TOO_MANY_CALLS }, now);
    else if (isWithinBudget(state, now))
      return reduceTranscript(state) ?? { do: 'callModel', messageCount: state.transcript.length };
  }
}

const TOO_MANY_CALLS = {
  code: 'too_many_model_calls',
  message: `The agent was stopped after ${MAX_CALLS_PER_MESSAGE} model calls for one message. Send a message to continue.`,
};

function needsModelCall(state: ConversationState): boolean {
  flushTurn(state);
  return lastTranscriptMessage(state)?.role === 'user';
}

function completeConversation(state: ConversationState, now: number): void {
  const last = lastTranscriptMessage(state);
  endConversation(state, 'completed', { result: last?.role === 'assistant' ? joinTextBlocks(last.content) : '' }, now);
}

/** Applies the model's reply to the state, unless the conversation ended while it was on its way. */
export function applyModelReply(state: ConversationState, received: ModelReply, now: number): void {
  if (isConversationFinished(state)) return;
  const reply = withUniqueCallIds(received);
  state.modelCallsSinceMessage += 1;
  if (reply.overflow) {
    recordOverflow(state, reply.overflow);
    // Compact once per reply: if the transcript still does not fit, fail.
    if (estimateContextUsage(state).lastReduction !== 'compact') return;
  }
  if (prepareRepeat(state, reply, now)) return;
  if (!reply.repeat) appendReply(state, reply);
  const text = joinTextBlocks(reply.content, { withUpdates: hasPreservedThinking(state.agent.model) });
  if (text !== '') addTimelineEntry(state, { kind: 'message', role: 'assistant', text }, now);
  state.turn.pendingCalls = reply.calls;
  if (reply.error) endConversation(state, 'failed', { error: reply.error }, now);
  else if (reply.content.length === 0 && state.queuedMessages.length === 0)
    endConversation(state, 'completed', { result: '' }, now);
}

/** Appends what the call sent and the model's reply, exactly as they were: the next thinking is bound to them. */
function appendReply(state: ConversationState, reply: ModelReply): void {
  endExtraRoom(state);
  const { pinned, notice } = reply.prefix ?? {};
  // A fallback model replies until the next message only, so the prefix of the agent's own model stays pinned.
  if (pinned && !state.override?.model) {
    if (state.prefix) replaceTranscript(state, state.transcript, state.contextUsage?.lastReduction);
    state.prefix = pinned;
    state.sizeBytes += jsonBytes(pinned);
  }
  const messages: TranscriptMessage[] = [
    ...(notice ? [{ role: 'system' as const, content: notice }] : []),
    { role: 'assistant', content: reply.content },
  ];
  const added = reply.content.length > 0 ? messages : [];
  const bytes = jsonBytes(added);
  if (!reply.overflow) recordModelUsage(state, reply, bytes);
  state.sizeBytes += bytes;
  state.transcript = [...state.transcript, ...added];
}

/**
 * Makes call ids unique, since approvals, runs and results are matched by id. Calls are in the order of their blocks.
 */
function withUniqueCallIds(reply: ModelReply): ModelReply {
  const ids = reply.calls.map(({ id }) => id);
  if (new Set(ids).size === ids.length) return reply;
  const uniqueIds = ids.map((id, at) => (ids.indexOf(id) === at ? id : `${id}_${at + 1}`));
  let next = 0;
  const content = reply.content.map((block) =>
    block.type === 'tool_use' ? { ...block, id: uniqueIds[next++] ?? block.id } : block,
  );
  return { ...reply, content, calls: reply.calls.map((call, at) => ({ ...call, id: uniqueIds[at] ?? call.id })) };
}

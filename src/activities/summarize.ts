import type { Agent } from '#contract/agent';
import type { TokenUsage } from '#contract/conversation';
import { jsonBytes } from '#core/json';
import { dropThinking, hasPreservedThinking } from '#core/transcript/prefix';
import { MAX_SUMMARY_ATTEMPTS, maxSummaryTokens } from '#core/transcript/token-budget';
import { joinTextBlocks, type TranscriptMessage } from '#core/transcript/transcript';
import { shortenMessages, trimToolResults } from '#core/transcript/trim-results';
import { ModelError, type ModelResponse } from '#models/model';
import { SUMMARY_PROMPT } from '#models/prompts/summary';
import type { SummaryCallRef } from '#workflows/runtime/sinks';
import { buildModelRequest, type ModelDeps } from './call-model';
import { attemptModelCall } from './model-retry';

export interface SummaryResult {
  /** `null` if the model wrote none after all attempts. */
  text: string | null;
  reason?: string;
  usage: TokenUsage;
}

/**
 * Lets the model summarize older turns. It reads them with the same prompt and tools as before. Not shown to viewers.
 */
export function summarizeTranscript(deps: ModelDeps, ref: SummaryCallRef): Promise<SummaryResult> {
  return attemptModelCall(deps, ref, async (context, model) => {
    const { agent, request } = await buildModelRequest(deps, context, ref);
    const ask = (maxBytes: number, messages = request.messages): Promise<ModelResponse> => {
      const call = {
        ...request,
        maxTokens: maxSummaryTokens(request.model, ref.maxTokens),
        ...(hasPreservedThinking(request.model) ? { effort: 'low' as const } : {}),
        toolChoice: 'none' as const,
        messages: withSummaryPrompt(fitToBytes(agent, messages, maxBytes), ref.droppedCount),
        onText: () => undefined,
      };
      return model.generate(call).catch((error) => {
        const isHistoryRejected =
          error instanceof ModelError && error.isHistoryRejected && messages === request.messages;
        if (isHistoryRejected) return ask(maxBytes, dropThinking(messages));
        throw error;
      });
    };
    const summary = await requestSummary(() =>
      ask(ref.maxInputBytes).catch((error) => ignoreOverflow(error) ?? ask(ref.maxInputBytes / 2)),
    );
    return { ...summary, usage: model.usage() };
  });
}

/** Shortens the messages as little as possible. */
function fitToBytes(agent: Agent, messages: TranscriptMessage[], maxBytes: number): TranscriptMessage[] {
  if (jsonBytes(messages) <= maxBytes) return messages;
  return shortenMessages(agent, trimToolResults(agent, dropThinking(messages), maxBytes), maxBytes);
}

/** Appends the summary prompt to the last user message, with which a request must end: drops a notice after it. */
function withSummaryPrompt(all: TranscriptMessage[], droppedCount: number): TranscriptMessage[] {
  const messages = all.slice(0, all.findLastIndex(({ role }) => role === 'user') + 1);
  const last = messages.at(-1) as TranscriptMessage;
  const text = SUMMARY_PROMPT + (droppedCount > 0 ? droppedNote(droppedCount) : '');
  return [...messages.slice(0, -1), { ...last, content: [...last.content, { type: 'text', text }] }];
}

function droppedNote(count: number): string {
  return ` The ${count} oldest of them are removed now: carry over what was asked, answered and decided there.`;
}

async function requestSummary(ask: () => Promise<ModelResponse>): Promise<Omit<SummaryResult, 'usage'>> {
  let reason = '';
  for (let attempt = 0; attempt < MAX_SUMMARY_ATTEMPTS; attempt += 1) {
    const response = await ask().catch(ignoreOverflow);
    if (!response) return { text: null, reason: 'Even half of the transcript is too long for the model.' };
    const text = joinTextBlocks(response.content);
    if (isSummary(response, text)) return { text };
    reason = `The model wrote no summary (${response.stopReason}).`;
  }
  return { text: null, reason };
}

function ignoreOverflow(error: unknown): undefined {
  if (!(error instanceof ModelError && error.overflow)) throw error;
}

/** A shorter text that was cut off is no usable summary. */
const MIN_CUT_SUMMARY_LENGTH = 200;
const CUT_STOP_REASONS = ['max_tokens', 'model_context_window_exceeded'];

/** Text before a tool call announces a step; it is no summary. */
function isSummary({ content, stopReason }: ModelResponse, text: string): boolean {
  if (stopReason === 'refusal' || content.some(({ type }) => type === 'tool_use')) return false;
  return text.length > (CUT_STOP_REASONS.includes(stopReason) ? MIN_CUT_SUMMARY_LENGTH : 0);
}

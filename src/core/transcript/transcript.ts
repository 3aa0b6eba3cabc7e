import type { ConversationState } from '#core/conversation/state';
import { jsonBytes, toWellFormed } from '#core/json';
import { addTranscriptBytes, resetReduction } from './token-budget';

/** What the model reads for a call that was made at this many messages; a retry reads the same. */
export function transcriptUpTo(state: ConversationState, messages?: number): TranscriptMessage[] {
  return state.transcript.slice(0, messages);
}

export function joinTextBlocks(content: ContentBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim();
}

export function lastTranscriptMessage(state: ConversationState): TranscriptMessage | undefined {
  return state.transcript[state.transcript.length - 1];
}

/** The arguments of a call, as the model wrote them. */
export function toolCallInput(state: ConversationState, callId: string): unknown {
  for (const block of lastTranscriptMessage(state)?.content ?? []) {
    if (block.type === 'tool_use' && block.id === callId) return block.input;
  }
  return undefined;
}

/** Say this to the model. Two messages of the user in a row would be read as one, so they are one. */
function appendUserContent(state: ConversationState, content: ContentBlock[]): void {
  const bytes = jsonBytes(content);
  state.sizeBytes += bytes;
  addTranscriptBytes(state, bytes);
  const last = lastTranscriptMessage(state);
  if (last?.role === 'user') {
    const joined: TranscriptMessage = { role: 'user', content: [...last.content, ...content] };
    state.transcript = [...state.transcript.slice(0, -1), joined];
  } else {
    state.transcript = [...state.transcript, { role: 'user', content }];
  }
}

/** Hand over the results of the turn, in order, and then what the user said meanwhile, with nothing after it. */
export function flushTurn(state: ConversationState): void {
  flushToolResults(state);
  if (state.queuedMessages.length === 0) return;
  appendUserContent(
    state,
    state.queuedMessages.map((text) => ({ type: 'text', text })),
  );
  state.queuedMessages = [];
  resetReduction(state);
  state.modelCallsSinceMessage = 0;
  state.questionCount.sinceMessage = 0;
}

export function flushToolResults(state: ConversationState): void {
  if (state.turn.results.length > 0) appendUserContent(state, state.turn.results);
  state.turn.results = [];
}

export function createToolResult(callId: string, content: string, isError = false): ToolResultBlock {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: toWellFormed(content),
    ...(isError ? { is_error: true } : {}),
  };
}

/** A block of a message as the model's API has it; Parley reads text, tool_use and tool_result, and keeps the rest. */
export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | ToolResultBlock
  | { type: 'thinking' | 'redacted_thinking'; [field: string]: unknown };

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

export interface TranscriptMessage {
  role: 'user' | 'assistant';
  content: ContentBlock[];
}

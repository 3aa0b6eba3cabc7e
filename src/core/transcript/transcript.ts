import type { ConversationState } from '#core/conversation/state';
import { jsonBytes, toWellFormed } from '#core/json';
import { addTranscriptBytes, resetReduction } from './token-budget';

/** The transcript at a message count. A retry reads the same one. */
export function transcriptUpTo(state: ConversationState, messages?: number): TranscriptMessage[] {
  return state.transcript.slice(0, messages);
}

/** The text of a reply. Models with preserved thinking write updates between tool calls as thinking with a text. */
export function joinTextBlocks(content: ContentBlock[], { withUpdates = false } = {}): string {
  return content
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      return withUpdates && block.type === 'thinking' ? [String(block.thinking)] : [];
    })
    .filter((text) => text.trim() !== '')
    .join('\n\n')
    .trim();
}

export function lastTranscriptMessage(state: ConversationState): TranscriptMessage | undefined {
  return state.transcript[state.transcript.length - 1];
}

/** The arguments of a tool call, as the model wrote them. */
export function toolCallInput(state: ConversationState, callId: string): unknown {
  for (const block of lastTranscriptMessage(state)?.content ?? []) {
    if (block.type === 'tool_use' && block.id === callId) return block.input;
  }
  return undefined;
}

/** Appends user content. Joins it to a preceding user message, since the API would read two in a row as one. */
export function appendUserContent(state: ConversationState, content: ContentBlock[]): void {
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

/** Appends the turn's results, then queued user messages, with nothing after them. */
export function flushTurn(state: ConversationState): void {
  flushToolResults(state);
  if (state.queuedMessages.length === 0) return;
  appendUserContent(
    state,
    state.queuedMessages.map((text) => ({ type: 'text', text })),
  );
  state.queuedMessages = [];
  delete state.override;
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

/** A content block of the model's API. Parley passes thinking through. */
export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | ToolResultBlock
  | ToolChangeBlock
  | { type: 'thinking' | 'redacted_thinking'; [field: string]: unknown };

/** Adds, redefines or removes a tool from here on, in a system message. */
export type ToolChangeBlock =
  | { type: 'tool_addition'; tool: { type: 'tool_definition'; definition: ToolDefinition } }
  | { type: 'tool_removal'; tool: { type: 'tool_reference'; name: string } };

/** A tool, as the model's API defines it. */
export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string;
  is_error?: boolean;
}

/** A system message tells what has changed at the beginning of the prompt, between a user's message and the reply. */
export interface TranscriptMessage {
  role: 'user' | 'assistant' | 'system';
  content: ContentBlock[];
}

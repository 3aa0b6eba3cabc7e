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
  state.weight += bytes;
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
  if (state.queued.length === 0) return;
  appendUserContent(
    state,
    state.queued.map((text) => ({ type: 'text', text })),
  );
  state.queued = [];
  resetReduction(state);
  state.callsSinceMessage = 0;
  state.asked.sinceMessage = 0;
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

/** Text of others between marks. It cannot end its own mark, nor begin one of the same family. */
export function wrapUntrusted(mark: string, text: string, family = mark): string {
  return `<${mark}>${neutralizeTags(family, text)}</${mark}>`;
}

/** Whatever a model might read as the mark: in any case, with spaces, full width, with what cannot be seen in between. */
function neutralizeTags(family: string, text: string): string {
  const name = new RegExp(`^${family.replaceAll('_', '')}`, 'i');
  return text.replace(/[<＜﹤][^<＜﹤]*/g, (part) => {
    const letters = part.normalize('NFKC').replace(/[^\p{L}]/gu, '');
    return name.test(letters) ? `‹${part.slice(1)}` : part;
  });
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

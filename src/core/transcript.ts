import { jsonBytes, wellFormed } from './json';
import { add, startAfresh } from './load';
import type { Block, Message, State, ToolResult } from './state';

/** What the model reads for a call that was made at this many messages; a retry reads the same. */
export function transcript(state: State, messages?: number): Message[] {
  return state.transcript.slice(0, messages);
}

export function textOf(content: Block[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim();
}

export function lastMessage(state: State): Message | undefined {
  return state.transcript[state.transcript.length - 1];
}

/** The arguments of a call, as the model wrote them. */
export function inputOf(state: State, callId: string): unknown {
  for (const block of lastMessage(state)?.content ?? []) {
    if (block.type === 'tool_use' && block.id === callId) return block.input;
  }
  return undefined;
}

/** Say this to the model. Two messages of the user in a row would be read as one, so they are one. */
function sayAsUser(state: State, content: Block[]): void {
  const bytes = jsonBytes(content);
  state.weight += bytes;
  add(state, bytes);
  const last = lastMessage(state);
  if (last?.role === 'user') {
    const joined: Message = { role: 'user', content: [...last.content, ...content] };
    state.transcript = [...state.transcript.slice(0, -1), joined];
  } else {
    state.transcript = [...state.transcript, { role: 'user', content }];
  }
}

/** Hand over the results of the turn, in order, and then what the user said meanwhile, with nothing after it. */
export function flush(state: State): void {
  flushResults(state);
  if (state.queued.length === 0) return;
  sayAsUser(
    state,
    state.queued.map((text) => ({ type: 'text', text })),
  );
  state.queued = [];
  startAfresh(state);
  state.callsSinceMessage = 0;
  state.asked.sinceMessage = 0;
}

export function flushResults(state: State): void {
  if (state.turn.results.length > 0) sayAsUser(state, state.turn.results);
  state.turn.results = [];
}

export function toolResult(callId: string, content: string, isError = false): ToolResult {
  return {
    type: 'tool_result',
    tool_use_id: callId,
    content: wellFormed(content),
    ...(isError ? { is_error: true } : {}),
  };
}

import { jsonBytes, truncateText } from '#core/json';
import { selectOldEntries } from '#core/timeline';
import { findStoredResultMarker } from '#core/tools/stored-result-marker';
import { dropThinking } from '#core/transcript/prefix';
import {
  type ContentBlock,
  type ToolResultBlock,
  type TranscriptMessage,
  toolCallInput,
} from '#core/transcript/transcript';
import type { ConversationState, ParsedToolCall } from './state';

/** Temporal rejects a result or continue-as-new input over 2 MB and retries the task forever. */
export const MAX_STATE_BYTES = 1_900_000;
/** Target after continue-as-new: well below the limit, so that the next step does not trigger it again. */
export const CONTINUED_STATE_BYTES = 1_500_000;
const DROPPED_RESULT = '[This result was removed to save space.]';
const SHORTENED_LENGTH = 1_000;

/** Brings the state under the limit: drops the oldest entries first, then what the model needs least. */
export function enforceSizeLimit(state: ConversationState, maxBytes = MAX_STATE_BYTES): ConversationState {
  const bytes = jsonBytes(state);
  if (bytes <= maxBytes) return { ...state, sizeBytes: bytes };
  const old = new Set(selectOldEntries(state, maxBytes));
  const entries = state.entries.filter((entry) => !old.has(entry));
  const bounded = { ...state, entries, truncated: state.truncated || old.size > 0 };
  if (jsonBytes(bounded) > maxBytes) {
    bounded.transcript = dropThinking(bounded.transcript);
    delete bounded.prefix;
  }
  bounded.transcript = shortenOldMessages(bounded.transcript, jsonBytes(bounded) - maxBytes);
  bounded.transcript = dropOldestTurns(bounded.transcript, jsonBytes(bounded) - maxBytes);
  const within = jsonBytes(bounded) <= maxBytes ? bounded : shortenLastTurn(bounded, maxBytes);
  const pendingCalls = within.turn.pendingCalls.map((call) =>
    hasLostInput(state, within, call) ? refuse(call) : call,
  );
  const limited = { ...within, turn: { ...within.turn, pendingCalls } };
  return { ...limited, sizeBytes: jsonBytes(limited) };
}

/** Whether the arguments that the call would run with were removed. A call that awaits approval is checked by digest. */
function hasLostInput(before: ConversationState, after: ConversationState, { id, run }: ParsedToolCall): boolean {
  return run === 'activity' && toolCallInput(before, id) !== toolCallInput(after, id);
}

function refuse({ id, name }: ParsedToolCall): ParsedToolCall {
  return { id, name, run: 'invalid', message: 'Not run: the arguments of this call were too large.' };
}

/**
 * Shortens old tool results, then long texts, then long arguments. Keeps the newest message, which the model answers
 * next.
 */
function shortenOldMessages(transcript: TranscriptMessage[], over: number): TranscriptMessage[] {
  const older = transcript.slice(0, -1);
  return [...shortenMessageBlocks(older, over), ...transcript.slice(-1)];
}

function shortenMessageBlocks(
  transcript: TranscriptMessage[],
  over: number,
  keptLength = SHORTENED_LENGTH,
): TranscriptMessage[] {
  let left = over;
  const pass = (messages: TranscriptMessage[], shorter: (block: ContentBlock) => ContentBlock): TranscriptMessage[] =>
    messages.map((message) => {
      if (left <= 0) return message;
      return {
        ...message,
        content: message.content.map((block) => (left > 0 ? applyShortener(block, shorter) : block)),
      };
    });
  const applyShortener = (block: ContentBlock, shorter: (block: ContentBlock) => ContentBlock): ContentBlock => {
    const shortened = shorter(block);
    if (shortened !== block) left -= jsonBytes(block) - jsonBytes(shortened);
    return shortened;
  };
  const shorteners = [
    dropResult,
    (block: ContentBlock) => shortenText(block, keptLength),
    (block: ContentBlock) => dropInput(block, keptLength),
  ];
  return shorteners.reduce(pass, transcript);
}

function dropResult(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_result') return block;
  // Keep the marker: it says how to read the stored result.
  const marker = findStoredResultMarker(block.content);
  const content = marker ? `${marker}\n${DROPPED_RESULT}` : DROPPED_RESULT;
  return block.content.length <= content.length ? block : { ...block, content };
}

function shortenText(block: ContentBlock, keptLength: number): ContentBlock {
  if (block.type !== 'text' || block.text.length <= keptLength * 2) return block;
  return { ...block, text: truncateText(block.text, keptLength) };
}

function dropInput(block: ContentBlock, keptLength: number): ContentBlock {
  if (block.type !== 'tool_use' || jsonBytes(block.input) <= keptLength * 2) return block;
  return {
    ...block,
    input: { dropped: 'These arguments were removed to save space.' },
  };
}

/** Drops the oldest turns, each a reply with the results after it, so that every call keeps its result. */
function dropOldestTurns(transcript: TranscriptMessage[], over: number): TranscriptMessage[] {
  const [first, ...rest] = transcript;
  let left = over;
  let dropped = 0;
  while (left > 0 && dropped + 2 < rest.length) {
    left -= jsonBytes(rest[dropped]) + jsonBytes(rest[dropped + 1]);
    dropped += 2;
  }
  if (!first || dropped === 0) return transcript;
  const isNoted = first.content.some((block) => block.type === 'text' && block.text === TURNS_DROPPED);
  const note: ContentBlock[] = isNoted ? [] : [{ type: 'text', text: TURNS_DROPPED }];
  return [{ ...first, content: [...first.content, ...note] }, ...rest.slice(dropped)];
}

const TURNS_DROPPED = '[The messages that followed were removed to save space.]';
const LAST_TURN_LENGTH = 10_000;
const SHORTEST_LENGTH = 100;

/**
 * One turn alone exceeds the limit: shorten even what the model has not read, or the run could never end. Shortens
 * further until it fits.
 */
function shortenLastTurn(state: ConversationState, maxBytes: number, length = LAST_TURN_LENGTH): ConversationState {
  const clipped = (text: string) => truncateText(text, length);
  const calls = state.turn.pendingCalls.map((call, index): ParsedToolCall => {
    // The first call is the one whose question is open.
    if (index === 0 && state.question) return call;
    if (call.run === 'invalid' || call.run === 'activity' || jsonBytes(call) <= length) return call;
    return refuse(call);
  });
  const results = state.turn.results.map(
    (result): ToolResultBlock => ({ ...result, content: clipped(result.content) }),
  );
  const squeezed = {
    ...state,
    turn: { pendingCalls: calls, results },
    queuedMessages: state.queuedMessages.map(clipped),
  };
  const over = jsonBytes(squeezed) - maxBytes;
  // Only the newest block is sure to stay complete.
  const last = state.transcript.at(-1);
  const newest = last?.content.slice(-1) ?? [];
  const rest = last ? [...state.transcript.slice(0, -1), { ...last, content: last.content.slice(0, -1) }] : [];
  const shortened = shortenMessageBlocks(rest, over, length / 10);
  squeezed.transcript = shortened.map((message, index) =>
    index === shortened.length - 1
      ? { ...message, content: [...message.content, ...newest.map((block) => truncateBlock(block, length))] }
      : message,
  );
  const isDone = jsonBytes(squeezed) <= maxBytes || length < SHORTEST_LENGTH;
  return isDone ? squeezed : shortenLastTurn(squeezed, maxBytes, length / 4);
}

/** User messages are always shorter; replies may not be. */
const MAX_NEWEST_LENGTH = 120_000;

function truncateBlock(block: ContentBlock, length: number): ContentBlock {
  if (block.type === 'tool_result') return { ...block, content: truncateText(block.content, length * 12) };
  if (block.type === 'text') return { ...block, text: truncateText(block.text, MAX_NEWEST_LENGTH) };
  return dropInput(block, length / 10);
}

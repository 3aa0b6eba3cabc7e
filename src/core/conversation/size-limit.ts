import { jsonBytes, truncateText } from '#core/json';
import { selectOldEntries } from '#core/timeline';
import { findStoredResultMarker } from '#core/tools/stored-result-marker';
import { dropThinking } from '#core/transcript/prefix';
import type { ContentBlock, ToolResultBlock, TranscriptMessage } from '#core/transcript/transcript';
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
  return { ...within, sizeBytes: jsonBytes(within) };
}

/**
 * Shortens old tool results, then long texts, then long arguments. Keeps the newest message, which the model answers
 * next.
 */
function shortenOldMessages(transcript: TranscriptMessage[], over: number): TranscriptMessage[] {
  const older = transcript.slice(0, -1);
  return [...shortenMessageBlocks(older, over), ...transcript.slice(-1)];
}

function shortenMessageBlocks(transcript: TranscriptMessage[], over: number): TranscriptMessage[] {
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
  return [dropResult, shortenText, dropInput].reduce(pass, transcript);
}

function dropResult(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_result') return block;
  // Keep the marker: it says how to read the stored result.
  const marker = findStoredResultMarker(block.content);
  const content = marker ? `${marker}\n${DROPPED_RESULT}` : DROPPED_RESULT;
  return block.content.length <= content.length ? block : { ...block, content };
}

function shortenText(block: ContentBlock): ContentBlock {
  if (block.type !== 'text' || block.text.length <= SHORTENED_LENGTH * 2) return block;
  return { ...block, text: truncateText(block.text, SHORTENED_LENGTH) };
}

function dropInput(block: ContentBlock): ContentBlock {
  if (block.type !== 'tool_use' || jsonBytes(block.input) <= SHORTENED_LENGTH * 2) return block;
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

/** One turn alone exceeds the limit: shorten even what the model has not read, or the run could never end. */
function shortenLastTurn(state: ConversationState, maxBytes: number): ConversationState {
  const clipped = (text: string) => truncateText(text, LAST_TURN_LENGTH);
  const calls = state.turn.pendingCalls.map((call, index): ParsedToolCall => {
    // The first call is the one whose question is open.
    if (index === 0 && state.question) return call;
    if (call.run === 'invalid' || call.run === 'activity' || jsonBytes(call) <= LAST_TURN_LENGTH) return call;
    const message = 'Not run: the arguments of this call were too large.';
    return { id: call.id, name: call.name, run: 'invalid', message };
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
  const shortened = shortenMessageBlocks(rest, over);
  squeezed.transcript = shortened.map((message, index) =>
    index === shortened.length - 1
      ? { ...message, content: [...message.content, ...newest.map(truncateBlock)] }
      : message,
  );
  return squeezed;
}

/** User messages are always shorter; results and replies may not be. */
const MAX_NEWEST_LENGTH = 120_000;

function truncateBlock(block: ContentBlock): ContentBlock {
  if (block.type === 'tool_result') return { ...block, content: truncateText(block.content, MAX_NEWEST_LENGTH) };
  if (block.type === 'text') return { ...block, text: truncateText(block.text, MAX_NEWEST_LENGTH) };
  return dropInput(block);
}

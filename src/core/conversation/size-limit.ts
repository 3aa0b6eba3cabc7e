import { jsonBytes, truncateText } from '#core/json';
import { selectOldEntries } from '#core/timeline';
import { findStoredResultMarker } from '#core/tools/stored-result-marker';
import type { ContentBlock, ToolResultBlock, TranscriptMessage } from '#core/transcript/transcript';
import type { ConversationState, ParsedToolCall } from './state';

/** Temporal refuses a result or a roll-over above 2 MB, and would retry the task for ever. */
export const MAX_STATE_BYTES = 1_900_000;
/** Rolled over, the state is well below the bound, so that it does not roll over again at the next step. */
export const CONTINUED_STATE_BYTES = 1_500_000;
const DROPPED_RESULT = '[This result was dropped to keep the conversation within its size limit.]';
const SHORTENED_LENGTH = 1_000;

/** Bring the state under the bound: oldest entries first, then what the model could best do without. */
export function enforceSizeLimit(state: ConversationState, maxBytes = MAX_STATE_BYTES): ConversationState {
  const bytes = jsonBytes(state);
  if (bytes <= maxBytes) return { ...state, sizeBytes: bytes };
  const old = new Set(selectOldEntries(state, maxBytes));
  const entries = state.entries.filter((entry) => !old.has(entry));
  const bounded = { ...state, entries, truncated: state.truncated || old.size > 0 };
  bounded.transcript = shortenOldMessages(bounded.transcript, jsonBytes(bounded) - maxBytes);
  bounded.transcript = dropOldestTurns(bounded.transcript, jsonBytes(bounded) - maxBytes);
  const within = jsonBytes(bounded) <= maxBytes ? bounded : shortenLastTurn(bounded, maxBytes);
  return { ...within, sizeBytes: jsonBytes(within) };
}

/** Oldest tool results, then long texts, then long arguments. The newest message stays: the model answers it next. */
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
  // The way to what was kept elsewhere stays.
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
    input: { dropped: 'These arguments were dropped to keep the conversation within its size limit.' },
  };
}

/** Last of all the oldest turns go, a reply with what followed it, so that every call keeps its result. */
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

const TURNS_DROPPED = '[The part of the conversation that followed was dropped for its size.]';
const LAST_TURN_LENGTH = 10_000;

/** One turn alone is past the bound: shorten also what the model has not read yet, rather than never end. */
function shortenLastTurn(state: ConversationState, maxBytes: number): ConversationState {
  const clipped = (text: string) => truncateText(text, LAST_TURN_LENGTH);
  const calls = state.turn.pendingCalls.map((call, index): ParsedToolCall => {
    // The first is the call whose question is open.
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
  // Only the very last thing said is sure to be whole.
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

/** A message of the user is below this anyway; a result or a reply need not be. */
const MAX_NEWEST_LENGTH = 120_000;

function truncateBlock(block: ContentBlock): ContentBlock {
  if (block.type === 'tool_result') return { ...block, content: truncateText(block.content, MAX_NEWEST_LENGTH) };
  if (block.type === 'text') return { ...block, text: truncateText(block.text, MAX_NEWEST_LENGTH) };
  return dropInput(block);
}

import { clip, jsonBytes } from './json';
import type { Block, Call, Message, State, ToolResult } from './state';

/** Temporal refuses a result or a roll-over above 2 MB, and would retry the task for ever. */
export const STATE_BYTES = 1_500_000;
const DROPPED = '[This result was dropped to keep the conversation within its size limit.]';
const SHORTENED = 1_000;

/** Bring the state under the bound: oldest entries first, then what the model could best do without. */
export function bound(state: State, most = STATE_BYTES): State {
  const bytes = jsonBytes(state);
  if (bytes <= most) return { ...state, weight: bytes };
  const entries = dropEntries(state, bytes - most);
  const bounded = { ...state, entries, truncated: true };
  bounded.transcript = lighten(bounded.transcript, jsonBytes(bounded) - most);
  bounded.transcript = dropTurns(bounded.transcript, jsonBytes(bounded) - most);
  const within = jsonBytes(bounded) <= most ? bounded : squeeze(bounded);
  return { ...within, weight: jsonBytes(within) };
}

function dropEntries(state: State, over: number): State['entries'] {
  let dropped = 0;
  let freed = 0;
  while (dropped < state.entries.length && freed < over) {
    freed += jsonBytes(state.entries[dropped]) + 1;
    dropped += 1;
  }
  return state.entries.slice(dropped);
}

/** Oldest tool results, then long texts, then long arguments. The newest message stays: the model answers it next. */
function lighten(transcript: Message[], over: number): Message[] {
  let left = over;
  const pass = (messages: Message[], shorten: (block: Block) => Block): Message[] =>
    messages.map((message, index) => {
      if (left <= 0 || index === messages.length - 1) return message;
      const content = message.content.map((block) => (left > 0 ? freeing(block, shorten) : block));
      return { ...message, content };
    });
  const freeing = (block: Block, shorten: (block: Block) => Block): Block => {
    const shorter = shorten(block);
    if (shorter !== block) left -= jsonBytes(block) - jsonBytes(shorter);
    return shorter;
  };
  return [dropResult, shortenText, dropInput].reduce(pass, transcript);
}

function dropResult(block: Block): Block {
  if (block.type !== 'tool_result' || block.content.length <= DROPPED.length) return block;
  return { ...block, content: DROPPED };
}

function shortenText(block: Block): Block {
  if (block.type !== 'text' || block.text.length <= SHORTENED * 2) return block;
  return { ...block, text: clip(block.text, SHORTENED) };
}

function dropInput(block: Block): Block {
  if (block.type !== 'tool_use' || jsonBytes(block.input) <= SHORTENED * 2) return block;
  return {
    ...block,
    input: { dropped: 'These arguments were dropped to keep the conversation within its size limit.' },
  };
}

/** Last of all the oldest turns go, a reply with what followed it, so that every call keeps its result. */
function dropTurns(transcript: Message[], over: number): Message[] {
  const [first, ...rest] = transcript;
  let left = over;
  let dropped = 0;
  while (left > 0 && dropped + 2 < rest.length) {
    left -= jsonBytes(rest[dropped]) + jsonBytes(rest[dropped + 1]);
    dropped += 2;
  }
  if (!first || dropped === 0) return transcript;
  const isTold = first.content.some((block) => block.type === 'text' && block.text === TURNS_DROPPED);
  const told: Block[] = isTold ? [] : [{ type: 'text', text: TURNS_DROPPED }];
  return [{ ...first, content: [...first.content, ...told] }, ...rest.slice(dropped)];
}

const TURNS_DROPPED = '[The part of the conversation that followed was dropped for its size.]';
const SQUEEZED = 10_000;

/** One turn alone is past the bound: shorten also what the model has not read yet, rather than never end. */
function squeeze(state: State): State {
  const shorten = (text: string) => clip(text, SQUEEZED);
  const results = (blocks: Block[]) =>
    blocks.map((block) =>
      block.type === 'tool_result' ? { ...block, content: shorten(block.content) } : dropInput(block),
    );
  const calls = state.turn.calls.map((call, index): Call => {
    // The first is the call whose question is open.
    if (index === 0 && state.question) return call;
    if (call.run === 'fault' || call.run === 'activity' || jsonBytes(call) <= SQUEEZED) return call;
    return {
      id: call.id,
      name: call.name,
      run: 'fault',
      message: 'Not run: the arguments of this call were too large.',
    };
  });
  const transcript = state.transcript.map(({ role, content }) => ({ role, content: results(content) }));
  const turn = { calls, results: results(state.turn.results) as ToolResult[] };
  return { ...state, transcript, turn, queued: state.queued.map(shorten) };
}

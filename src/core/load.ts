import { byteLength, jsonBytes } from './json';
import type { Load, State } from './state';

/** Of a model whose window nobody told. */
const USUAL_WINDOW = 200_000;
/** Where the API has not counted yet: of most languages less, of others more, and of the next call it tells exactly. */
const BYTES_PER_TOKEN = 3.5;
/** What tools and Parley's own part of the prompt take, until the API has counted them. */
const UNCOUNTED_TOKENS = 3_000;
/** More would crowd the timeline out of the state, and what is dropped for its bytes is dropped with no summary. */
const TRANSCRIPT_BYTES = 900_000;
/** No text has fewer tokens than this; an API that counts less does not count. */
const MOST_BYTES_PER_TOKEN = 8;

/** How much the model reads at its next call: what its API told of the last one, and what was added since. */
export function loadOf(state: State): Load {
  if (state.load) return state.load;
  const bytes = jsonBytes(state.transcript);
  return { bytes, tokens: UNCOUNTED_TOKENS + tokensOf(bytes + byteLength(state.agent.prompt)) };
}

/** How many bytes of transcript fit the model's window beside the reply, at the tokens that these ones come to. */
export function mostBytes(state: State): number {
  const { bytes, tokens } = loadOf(state);
  return Math.min((budgetOf(state) * bytes) / tokens, TRANSCRIPT_BYTES);
}

/** The window without room for the reply. A reply that could take more than half of it must not leave nothing to read. */
export function budgetOf(state: State): number {
  const window = windowOf(state);
  return Math.max(window - state.agent.maxTokens, window / 2);
}

function windowOf(state: State): number {
  const { window = USUAL_WINDOW, told = Number.POSITIVE_INFINITY } = state.load ?? {};
  return Math.min(state.agent.contextWindow ?? window, told);
}

/** The model has read all of it and said that much more. */
export function count(
  state: State,
  reply: { usage: { inputTokens: number; outputTokens: number }; window?: number },
  added: number,
): void {
  const { tried, ...before } = loadOf(state);
  const bytes = before.bytes + added;
  const counted = reply.usage.inputTokens + reply.usage.outputTokens;
  const tokens = Math.max(counted, Math.round(bytes / MOST_BYTES_PER_TOKEN));
  state.load = { ...before, bytes, tokens, ...(reply.window ? { window: reply.window } : {}) };
}

/** That many bytes more are for the model to read. */
export function add(state: State, bytes: number): void {
  if (!state.load) return;
  const { load } = state;
  state.load = { ...load, bytes: load.bytes + bytes, tokens: load.tokens + tokensOf(bytes) };
}

/** Too much, says the model's API itself: it is full, whatever was reckoned. */
export function overflow(state: State, { tokens = 0, most }: { tokens?: number; most?: number }): void {
  const load = { ...loadOf(state), ...(most ? { told: most } : {}) };
  state.load = load;
  state.load = { ...load, tokens: Math.max(tokens, load.tokens, windowOf(state)) };
}

/** Measured again: between two runs the state may have been cut down for its bytes. */
export function measureAgain(state: State): void {
  const { load } = state;
  const bytes = load ? jsonBytes(state.transcript) : 0;
  if (load && bytes < load.bytes)
    state.load = { ...load, bytes, tokens: Math.round((load.tokens * bytes) / load.bytes) };
}

/** The person spoke up: what was tried for what they said before does not count for this. */
export function startAfresh(state: State): void {
  if (!state.load?.tried) return;
  const { tried, ...load } = state.load;
  state.load = load;
}

/** The model reads this instead. */
export function replace(state: State, transcript: State['transcript'], tried: Load['tried']): void {
  const load = loadOf(state);
  const bytes = jsonBytes(transcript);
  state.weight += bytes - jsonBytes(state.transcript);
  state.transcript = transcript;
  const tokens = Math.round((load.tokens * bytes) / load.bytes);
  state.load = { ...load, bytes, tokens, tried, times: (load.times ?? 0) + 1 };
}

function tokensOf(bytes: number): number {
  return Math.round(bytes / BYTES_PER_TOKEN);
}

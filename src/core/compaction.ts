import { jsonBytes } from './json';
import { budgetOf, loadOf, mostBytes, replace } from './load';
import { headOf, pastOf } from './past';
import type { Message, State } from './state';
import { squeezed, withoutResults } from './trimming';

/** Of what the window holds: from where on room is made, down to where results of tools are taken out for it, */
const FULL = 0.8;
const TRIMMED = 0.5;
/** how much of the newest stays as it is when the older turns are summarised, and of what is too much in one turn. */
const NEWEST = 0.3;
const SQUEEZED = 0.9;
/** A summary is written from at most this, and has at most so many tokens, or that part of the window. */
const READ = 0.9;
const SUMMARY_TOKENS = 8_000;
const SUMMARY = 0.1;

/** The older turns have to be summarised: those before that message. */
export interface Compaction {
  do: 'compact';
  messages: number;
  /** What the summary may be written from, in bytes, and how long it may be, in tokens. */
  most: number;
  maxTokens: number;
  /** So much of what people said will only be in the summary from now on. */
  lost: number;
}

/**
 * Make room before the model is called, where there is little left: the oldest results of tools go first, and only where
 * that does not do the older turns. Each at most once until the model has replied. Never a little at a time: each time the
 * prefix that is cached changes.
 */
export function makeRoom(state: State, mayMakeRoom: () => boolean): Compaction | undefined {
  const { bytes, tried } = loadOf(state);
  const most = mostBytes(state);
  if (bytes <= FULL * most || tried === 'compact' || !mayMakeRoom()) return undefined;
  if (tried !== 'trim') {
    const trimmed = withoutResults(state.agent, state.transcript, TRIMMED * most);
    if (jsonBytes(trimmed) <= TRIMMED * most) return void replace(state, trimmed, 'trim');
  }
  const messages = cutIn(state.transcript, NEWEST * most);
  if (messages <= 1) return void squeeze(state, state.past ? 1 : 0, most);
  const { lost } = pastOf(state, messages, most);
  const maxTokens = Math.round(Math.min(SUMMARY_TOKENS, SUMMARY * budgetOf(state)));
  return {
    do: 'compact',
    messages,
    most: Math.round(READ * most),
    maxTokens,
    lost: lost - (state.past?.lost ?? 0),
  };
}

/** Where the newest begin that may stay: with a reply, so that each call keeps its result. The last reply stays anyhow. */
function cutIn(transcript: Message[], most: number): number {
  let bytes = 0;
  let cut = 0;
  for (let at = transcript.length - 1; at > 0; at -= 1) {
    bytes += jsonBytes(transcript[at]);
    if (transcript[at]?.role !== 'assistant') continue;
    if (cut > 0 && bytes > most) break;
    cut = at;
  }
  return cut;
}

/** The older turns give way to their summary. Where none could be made they go all the same: the conversation goes on. */
export function compact(state: State, { messages }: { messages: number }, summary: string | undefined): void {
  const most = mostBytes(state);
  const { head, past } = headOf(state, pastOf(state, messages, most), summary, most);
  state.past = past;
  replace(state, [head, ...state.transcript.slice(messages)], 'compact');
  squeeze(state, 1, most);
}

/** Where it still does not fit, what is long is cut short from that message on; what tells of the past is short already. */
function squeeze(state: State, from: number, most: number): void {
  const head = state.transcript.slice(0, from);
  const fits = loadOf(state).bytes <= most;
  const left = Math.max(SQUEEZED * most - jsonBytes(head), NEWEST * most);
  const newest = state.transcript.slice(from);
  replace(state, [...head, ...(fits ? newest : squeezed(state.agent, newest, left))], 'compact');
}

import { beginCall, type Effect, mayRun } from './calls';
import { type Compaction, makeRoom } from './compaction';
import { end } from './ending';
import { jsonBytes } from './json';
import { count, loadOf, overflow } from './load';
import { type Block, type Call, isFinished, note, reopen, type State } from './state';
import { flush, lastMessage, textOf } from './transcript';

/** What the model said, as the model activity hands it over. */
export interface Reply {
  content: Block[];
  calls: Call[];
  /** Set where the reply cannot be gone on with: cut off, refused, too large. */
  fault?: { code: string; message: string };
  usage: { inputTokens: number; outputTokens: number };
  /** Set where the model could not read or finish it for want of room in its window, with what its API told. */
  overflow?: { tokens?: number; most?: number };
  /** The model's window, where its API tells. */
  window?: number;
}

/** The next effect. Everything that needs none is done on the way to it. */
export type Step = Effect | { do: 'think'; messages: number } | Compaction | { do: 'park' } | { do: 'end' };

/** A loop that never ends would cost without end; a message allows this many calls of the model. */
const CALLS_PER_MESSAGE = 200;

/** Do what the state says comes next, up to the next thing that needs the world. Runs of old may not make room. */
export function advance(state: State, now: number, mayMakeRoom = () => true): Step {
  for (;;) {
    if (isFinished(state)) {
      if (state.queued.length === 0) return { do: 'end' };
      reopen(state, now);
    }
    if (state.question) return { do: 'park' };
    const call = state.turn.calls[0];
    if (call) {
      const step = mayRun(state, call, now) && beginCall(state, call, now);
      if (step) return step;
    } else if (!wouldThink(state)) finish(state, now);
    else if (state.callsSinceMessage < CALLS_PER_MESSAGE)
      return makeRoom(state, mayMakeRoom) ?? { do: 'think', messages: state.transcript.length };
    else end(state, 'failed', { error: tooManyCalls }, now);
  }
}

const tooManyCalls = {
  code: 'too_many_model_calls',
  message: `The agent called the model ${CALLS_PER_MESSAGE} times for one message and was stopped. Send a message to let it go on.`,
};

function wouldThink(state: State): boolean {
  flush(state);
  return lastMessage(state)?.role === 'user';
}

function finish(state: State, now: number): void {
  const last = lastMessage(state);
  end(state, 'completed', { result: last?.role === 'assistant' ? textOf(last.content) : '' }, now);
}

/** Take in the model's reply. */
export function hear(state: State, heard: Reply, now: number): void {
  const reply = withIdsOfTheirOwn(heard);
  const bytes = jsonBytes(reply.content);
  countUsage(state, reply.usage);
  state.callsSinceMessage += 1;
  if (reply.overflow) {
    overflow(state, reply.overflow);
    // Once: where room was made already and it still does not fit, it fails.
    if (loadOf(state).tried !== 'compact') return;
  } else count(state, reply, bytes);
  state.weight += bytes;
  if (reply.content.length > 0)
    state.transcript = [...state.transcript, { role: 'assistant', content: reply.content }];
  const text = textOf(reply.content);
  if (text !== '') note(state, { kind: 'message', role: 'assistant', text }, now);
  state.turn.calls = reply.calls;
  if (reply.fault) end(state, 'failed', { error: reply.fault }, now);
  else if (reply.content.length === 0 && state.queued.length === 0)
    end(state, 'completed', { result: '' }, now);
}

/** What a call of the model cost. A request that was refused is none. */
export function countUsage({ usage }: State, { inputTokens, outputTokens }: Reply['usage']): void {
  if (inputTokens + outputTokens > 0) usage.modelCalls += 1;
  usage.inputTokens += inputTokens;
  usage.outputTokens += outputTokens;
}

/** An id stands for one call: what is approved, run and answered goes by it. The calls are in the order of their blocks. */
function withIdsOfTheirOwn(reply: Reply): Reply {
  const ids = reply.calls.map(({ id }) => id);
  if (new Set(ids).size === ids.length) return reply;
  const own = ids.map((id, at) => (ids.indexOf(id) === at ? id : `${id}_${at + 1}`));
  let next = 0;
  const content = reply.content.map((block) =>
    block.type === 'tool_use' ? { ...block, id: own[next++] ?? block.id } : block,
  );
  return { ...reply, content, calls: reply.calls.map((call, at) => ({ ...call, id: own[at] ?? call.id })) };
}

import { approvalOf, confirmationOf, type Made, questionOf } from './asking';
import { MAX_DEPTH, SIDE_BY_SIDE } from './delegation';
import { digestOf } from './digest';
import { end } from './ending';
import { clip, jsonBytes } from './json';
import { canAsk, requiresConfirmation } from './permission';
import { type Block, type Call, isFinished, note, reopen, type State, setStatus } from './state';
import { flush, inputOf, lastMessage, textOf, toolResult } from './transcript';

/** What the model said, as the model activity hands it over. */
export interface Reply {
  content: Block[];
  calls: Call[];
  /** Set where the reply cannot be gone on with: cut off, refused, too large. */
  fault?: { code: string; message: string };
  usage: { inputTokens: number; outputTokens: number };
}

/** The next effect. Everything that needs none is done on the way to it. */
export type Step =
  | { do: 'think'; messages: number }
  | { do: 'tool'; call: Call & { run: 'activity' }; input: unknown }
  | { do: 'delegate'; calls: Delegation[] }
  | { do: 'park' }
  | { do: 'end' };

export type Delegation = Call & { run: 'child' };

/** A loop that never ends would cost without end; a message allows this many calls of the model. */
const CALLS_PER_MESSAGE = 200;

/** Do what the state says comes next, up to the next thing that needs the world. */
export function advance(state: State, now: number): Step {
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
      return { do: 'think', messages: state.transcript.length };
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
export function hear(state: State, reply: Reply, now: number): void {
  state.usage.modelCalls += 1;
  state.usage.inputTokens += reply.usage.inputTokens;
  state.usage.outputTokens += reply.usage.outputTokens;
  state.callsSinceMessage += 1;
  state.weight += jsonBytes(reply.content);
  if (reply.content.length > 0)
    state.transcript = [...state.transcript, { role: 'assistant', content: reply.content }];
  const text = textOf(reply.content);
  if (text !== '') note(state, { kind: 'message', role: 'assistant', text }, now);
  state.turn.calls = reply.calls;
  if (reply.fault) end(state, 'failed', { error: reply.fault }, now);
  else if (reply.content.length === 0 && state.queued.length === 0)
    end(state, 'completed', { result: '' }, now);
}

/** The tool that runs elsewhere is done. */
export function take(
  state: State,
  call: Call,
  outcome: { result: string } | { error: string },
  now: number,
): void {
  const isError = 'error' in outcome;
  const used = state.turn.results.reduce((length, result) => length + result.content.length, 0);
  const said = clip(isError ? outcome.error : outcome.result, Math.max(RESULTS_LENGTH - used, SHORT_LENGTH));
  const shown = clip(said, ENTRY_LENGTH);
  const { comment } = call.approval ?? {};
  const heard = comment ? `${said}\n\n[Whoever approved this added: ${JSON.stringify(comment)}]` : said;
  const input = shownInput(inputOf(state, call.id));
  note(
    state,
    { kind: 'tool', name: call.name, input, ...(isError ? { error: shown } : { result: shown }) },
    now,
  );
  state.turn.calls = state.turn.calls.slice(1);
  state.turn.results = [...state.turn.results, toolResult(call.id, heard, isError)];
}

const ENTRY_LENGTH = 8_000;
/** The results of one turn together; what comes after that is cut short. */
const RESULTS_LENGTH = 300_000;
const SHORT_LENGTH = 2_000;

function shownInput(input: unknown): unknown {
  return jsonBytes(input) <= ENTRY_LENGTH ? input : clip(JSON.stringify(input), ENTRY_LENGTH);
}

/** May this call run? Where a person has to approve it, they are asked; where it cannot be, the model is told. */
function mayRun(state: State, call: Call, now: number): boolean {
  if (!needsApproval(state, call)) return true;
  const input = inputOf(state, call.id);
  if (call.approval) {
    if (digestOf(input) === call.approval.digest) return true;
    take(
      state,
      call,
      { error: `${call.name} was not run: its arguments are not those that were approved.` },
      now,
    );
  } else if (!canAsk(state.agent)) {
    take(
      state,
      call,
      { error: `${call.name} was not run: it needs a person's approval, and nobody may be asked.` },
      now,
    );
  } else {
    ask(state, call, approvalOf(state, call.name, input, now), now);
  }
  return false;
}

function needsApproval(state: State, call: Call): boolean {
  const runs = call.run === 'activity' || call.run === 'child' || call.run === 'todos';
  return runs && requiresConfirmation(state.agent, call.name);
}

/** What a call needs of the world; nothing where it is done on the spot. */
function beginCall(state: State, call: Call, now: number): Step | undefined {
  switch (call.run) {
    case 'activity':
      return { do: 'tool', call, input: inputOf(state, call.id) };
    case 'child':
      if (state.origin.length < MAX_DEPTH) return { do: 'delegate', calls: sideBySide(state) };
      return void take(state, call, { error: tooDeep }, now);
    case 'ask':
      return void ask(state, call, questionOf(state, call.input, now), now);
    case 'confirm':
      return void ask(state, call, confirmationOf(state, call.input, now), now);
    case 'todos':
      return void keepTodos(state, call, now);
    case 'fault':
      return void take(state, call, { error: call.message }, now);
  }
}

const tooDeep = `Not delegated: at most ${MAX_DEPTH} agents may work for one another in a row. Do this task yourself.`;

/** The delegations next in line that may begin together. One that has to be approved first waits for its turn. */
function sideBySide(state: State): Delegation[] {
  const calls: Delegation[] = [];
  for (const call of state.turn.calls.slice(0, SIDE_BY_SIDE)) {
    const mayJoin = calls.length === 0 || !needsApproval(state, call);
    if (call.run !== 'child' || !mayJoin) break;
    calls.push(call);
  }
  return calls;
}

function ask(state: State, call: Call, made: Made, now: number): void {
  if (!made.ok) return take(state, call, { error: `The question was not put: ${made.message}` }, now);
  state.question = made.question;
  state.plan = made.plan;
  state.asked = { total: state.asked.total + 1, sinceMessage: state.asked.sinceMessage + 1 };
  note(state, { kind: 'question', question: made.question, settledId: null }, now);
  setStatus(state, 'waiting_for_input', now);
}

function keepTodos(state: State, call: Call & { run: 'todos' }, now: number): void {
  state.todos = call.input.todos;
  note(state, { kind: 'todos', todos: state.todos }, now);
  state.turn.calls = state.turn.calls.slice(1);
  state.turn.results = [...state.turn.results, toolResult(call.id, 'The to-do list is kept.')];
}

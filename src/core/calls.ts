import { approvalOf, confirmationOf, type Made, questionOf } from './asking';
import { MAX_DEPTH, SIDE_BY_SIDE, startBytes, TOGETHER_BYTES } from './delegation';
import { digestOf } from './digest';
import { canAsk, requiresConfirmation } from './permission';
import { type Call, note, type State, setStatus } from './state';
import { take } from './take';
import { inputOf, toolResult } from './transcript';

export type Delegation = Call & { run: 'child' };

/** What a call of the model's needs the world for. */
export type Effect =
  | { do: 'tool'; call: Call & { run: 'activity' }; input: unknown }
  | { do: 'delegate'; calls: Delegation[] };

/** May this call run? Where a person has to approve it, they are asked; where it cannot be, the model is told. */
export function mayRun(state: State, call: Call, now: number): boolean {
  if (call.run === 'child' && state.origin.length >= MAX_DEPTH) {
    take(state, call, { error: tooDeep }, now);
    return false;
  }
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
export function beginCall(state: State, call: Call, now: number): Effect | undefined {
  switch (call.run) {
    case 'activity':
      return { do: 'tool', call, input: inputOf(state, call.id) };
    case 'child':
      return { do: 'delegate', calls: sideBySide(state) };
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
  let bytes = 0;
  for (const call of state.turn.calls.slice(0, SIDE_BY_SIDE)) {
    if (call.run !== 'child') break;
    bytes += startBytes(state, call.input);
    const mayJoin = bytes <= TOGETHER_BYTES && !needsApproval(state, call);
    if (calls.length > 0 && !mayJoin) break;
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

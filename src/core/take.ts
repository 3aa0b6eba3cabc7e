import { clip, jsonBytes } from './json';
import { commentOf, notSpoken } from './spoken';
import { type Call, note, type State } from './state';
import { inputOf, toolResult } from './transcript';

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
  const own = notSpoken(call.name, toolResult(call.id, said, isError));
  const heard = comment ? toolResult(call.id, own.content + commentOf(comment), isError) : own;
  const input = shownInput(inputOf(state, call.id));
  note(
    state,
    { kind: 'tool', name: call.name, input, ...(isError ? { error: shown } : { result: shown }) },
    now,
  );
  state.turn.calls = state.turn.calls.slice(1);
  state.turn.results = [...state.turn.results, heard];
}

const ENTRY_LENGTH = 8_000;
/** The results of one turn together; what comes after that is cut short. */
const RESULTS_LENGTH = 300_000;
const SHORT_LENGTH = 2_000;

function shownInput(input: unknown): unknown {
  return jsonBytes(input) <= ENTRY_LENGTH ? input : clip(JSON.stringify(input), ENTRY_LENGTH);
}

import { addTimelineEntry, type ConversationState, type ParsedToolCall } from '#core/conversation/state';
import { sha256Digest } from '#core/digest';
import { jsonBytes, truncateText } from '#core/json';
import {
  createApproval,
  createConfirmation,
  createQuestion,
  openQuestion,
  type QuestionBuildResult,
} from '#core/questions/create';
import { formatApproverComment, sanitizeToolText } from '#core/questions/tool-results';
import { MAX_PARALLEL_SUBAGENTS, MAX_START_BATCH_BYTES, MAX_SUBAGENT_DEPTH, subagentStartBytes } from '#core/subagents';
import { createToolResult, toolCallInput } from '#core/transcript/transcript';
import { canAskPeople, needsConfirmation } from './grants';

export type SubagentCall = ParsedToolCall & { run: 'child' };

/** The side effects a tool call may need. */
export type SideEffect =
  | { do: 'runTool'; call: ParsedToolCall & { run: 'activity' }; input: unknown }
  | { do: 'runSubagents'; calls: SubagentCall[] };

/** True if the call may run now. Otherwise opens an approval question, or gives the model an error. */
export function canRunCall(state: ConversationState, call: ParsedToolCall, now: number): boolean {
  if (call.run === 'child' && state.origin.length >= MAX_SUBAGENT_DEPTH) {
    recordToolResult(state, call, { error: TOO_DEEP_MESSAGE }, now);
    return false;
  }
  if (!needsApproval(state, call)) return true;
  const input = toolCallInput(state, call.id);
  if (call.approval) {
    if (sha256Digest(input) === call.approval.digest) return true;
    recordToolResult(
      state,
      call,
      { error: `${call.name} was not run: its arguments differ from the approved ones.` },
      now,
    );
  } else if (!canAskPeople(state.agent)) {
    recordToolResult(
      state,
      call,
      { error: `${call.name} was not run: it needs approval, but this agent cannot ask people.` },
      now,
    );
  } else {
    const destructive = call.run === 'activity' && call.destructive === true;
    askPerson(state, call, createApproval(state, { tool: call.name, input, destructive }, now), now);
  }
  return false;
}

function needsApproval(state: ConversationState, call: ParsedToolCall): boolean {
  const runs = call.run === 'activity' || call.run === 'child' || call.run === 'todos';
  return runs && needsConfirmation(state.agent, call.name);
}

/** Returns the call's side effect, or applies it at once if it needs none. */
export function dispatchCall(state: ConversationState, call: ParsedToolCall, now: number): SideEffect | undefined {
  switch (call.run) {
    case 'activity':
      return { do: 'runTool', call, input: toolCallInput(state, call.id) };
    case 'child':
      return { do: 'runSubagents', calls: nextParallelSubagents(state) };
    case 'ask':
      return void askPerson(state, call, createQuestion(state, call.input, now), now);
    case 'confirm':
      return void askPerson(state, call, createConfirmation(state, call.input, now), now);
    case 'todos':
      return void updateTodos(state, call, now);
    case 'invalid':
      return void recordToolResult(state, call, { error: call.message }, now);
  }
}

const TOO_DEEP_MESSAGE = `Not delegated: at most ${MAX_SUBAGENT_DEPTH} levels of agents are allowed. Do this task yourself.`;

/** The next delegations that may start together. One that needs approval waits for its turn. */
function nextParallelSubagents(state: ConversationState): SubagentCall[] {
  const calls: SubagentCall[] = [];
  let bytes = 0;
  for (const call of state.turn.pendingCalls.slice(0, MAX_PARALLEL_SUBAGENTS)) {
    if (call.run !== 'child') break;
    bytes += subagentStartBytes(state, call.input);
    const mayJoin = bytes <= MAX_START_BATCH_BYTES && !needsApproval(state, call);
    if (calls.length > 0 && !mayJoin) break;
    calls.push(call);
  }
  return calls;
}

function askPerson(state: ConversationState, call: ParsedToolCall, build: QuestionBuildResult, now: number): void {
  if (build.ok) openQuestion(state, build, now);
  else recordToolResult(state, call, { error: `The question was not asked: ${build.message}` }, now);
}

function updateTodos(state: ConversationState, call: ParsedToolCall & { run: 'todos' }, now: number): void {
  state.todos = call.input.todos;
  addTimelineEntry(state, { kind: 'todos', todos: state.todos }, now);
  state.turn.pendingCalls = state.turn.pendingCalls.slice(1);
  state.turn.results = [...state.turn.results, createToolResult(call.id, 'To-do list saved.')];
}

/** Records the result of a call in transcript and timeline. */
export function recordToolResult(
  state: ConversationState,
  call: ParsedToolCall,
  outcome: { result: string } | { error: string },
  now: number,
): void {
  const isError = 'error' in outcome;
  const used = state.turn.results.reduce((length, result) => length + result.content.length, 0);
  const text = truncateText(
    isError ? outcome.error : outcome.result,
    Math.max(MAX_TURN_RESULTS_LENGTH - used, MIN_RESULT_LENGTH),
  );
  const shown = truncateText(text, MAX_ENTRY_LENGTH);
  const { comment } = call.approval ?? {};
  const sanitized = sanitizeToolText(call.name, createToolResult(call.id, text, isError));
  const modelResult = comment
    ? createToolResult(call.id, sanitized.content + formatApproverComment(comment), isError)
    : sanitized;
  const input = truncateInput(toolCallInput(state, call.id));
  addTimelineEntry(
    state,
    { kind: 'tool', name: call.name, input, ...(isError ? { error: shown } : { result: shown }) },
    now,
  );
  state.turn.pendingCalls = state.turn.pendingCalls.slice(1);
  state.turn.results = [...state.turn.results, modelResult];
}

const MAX_ENTRY_LENGTH = 8_000;
/** Limit for all results of one turn; later ones are truncated. */
const MAX_TURN_RESULTS_LENGTH = 300_000;
const MIN_RESULT_LENGTH = 2_000;

function truncateInput(input: unknown): unknown {
  return jsonBytes(input) <= MAX_ENTRY_LENGTH ? input : truncateText(JSON.stringify(input), MAX_ENTRY_LENGTH);
}

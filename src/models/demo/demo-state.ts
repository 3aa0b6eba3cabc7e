import type Anthropic from '@anthropic-ai/sdk';
import { findLastUserMessage } from '#core/transcript/compaction';
import { stripUntrustedTags } from '#core/untrusted-text';

export const ASK_TOOL = 'ask_user_question';
export const CONFIRM_TOOL = 'confirm_action';
export const TODOS_TOOL = 'write_todos';
export const DELEGATE_TOOL = 'delegate';

/** The outcome of a question to the user. */
export interface DemoQuestionResult {
  status: 'answered' | 'timed_out' | 'declined';
  answers: Record<string, unknown>;
  confirmed: boolean;
  comment?: string;
}

/** The result of a task that was delegated to a sub-agent. */
export interface DemoDelegatedTask {
  agent: string;
  task: string;
  result: string;
  failed: boolean;
}

/** The conversation since the user's last request, as far as the script needs it. */
export interface DemoState {
  request: string;
  /** The model has replied before this request. */
  isFollowUp: boolean;
  /** Messages that the user sent meanwhile, beside tool results. */
  remarks: string[];
  /** The tools called in the model's last reply; empty right after the request. */
  lastCalledTools: string[];
  form?: DemoQuestionResult;
  confirmation?: DemoQuestionResult;
  delegations: DemoDelegatedTask[];
  /** Agents to delegate to. */
  subagents: string[];
  /** Maximum number of questions in a form. */
  maxQuestions: number;
  availableTools: Set<string>;
}

interface TranscriptTurn {
  role: string;
  blocks: Anthropic.ContentBlockParam[];
}

export function readDemoState(body: Anthropic.MessageCreateParams): DemoState {
  const turns = mergeTurns(body.messages);
  const requestIndex = turns.findLastIndex(
    (turn) => turn.role === 'user' && readTurnText(turn) !== '' && !hasToolResults(turn),
  );
  const start = Math.max(0, requestIndex);
  const turnsSinceRequest = turns.slice(start + 1);
  const calls = turnsSinceRequest.flatMap((turn) => turn.blocks).filter((block) => block.type === 'tool_use');
  const lastReply = turnsSinceRequest.findLast((turn) => turn.role === 'assistant')?.blocks ?? [];
  return {
    request: stripUntrustedTags(findLastUserMessage(readTurnText(turns[start]))),
    isFollowUp: start > 0,
    remarks: turnsSinceRequest
      .filter((turn) => turn.role === 'user')
      .map(readTurnText)
      .filter(Boolean),
    lastCalledTools: lastReply.filter((block) => block.type === 'tool_use').map(({ name }) => name),
    form: findQuestionResult(ASK_TOOL, calls, turnsSinceRequest),
    confirmation: findQuestionResult(CONFIRM_TOOL, calls, turnsSinceRequest),
    delegations: calls
      .filter(({ name }) => name === DELEGATE_TOOL)
      .flatMap((call) => findDelegatedTask(call, turnsSinceRequest)),
    subagents: listSubagents(body.tools),
    maxQuestions: readMaxQuestions(body.tools),
    availableTools: new Set((body.tools ?? []).flatMap((tool) => ('name' in tool ? [tool.name] : []))),
  };
}

/** Merges consecutive messages of one role into one turn, as the API does. */
function mergeTurns(messages: Anthropic.MessageParam[]): TranscriptTurn[] {
  const turns: TranscriptTurn[] = [];
  for (const { role, content } of messages) {
    const blocks: TranscriptTurn['blocks'] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else if (role !== 'system') turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}

type ToolUseParam = Anthropic.ToolUseBlockParam;
type ToolResultParam = Anthropic.ToolResultBlockParam;

function findToolResult(call: ToolUseParam | undefined, turns: TranscriptTurn[]): ToolResultParam | undefined {
  const results = turns.flatMap((turn) => turn.blocks).filter((block) => block.type === 'tool_result');
  return results.find((block) => block.tool_use_id === call?.id);
}

function readToolResultText({ content = '' }: ToolResultParam): string {
  return typeof content === 'string'
    ? content
    : readTurnText({ role: 'user', blocks: content as TranscriptTurn['blocks'] });
}

function findQuestionResult(
  name: string,
  calls: ToolUseParam[],
  turns: TranscriptTurn[],
): DemoQuestionResult | undefined {
  const result = findToolResult(
    calls.findLast((block) => block.name === name),
    turns,
  );
  return result && readQuestionResult(result);
}

/** Reads the sub-agent's result, whether it is plain text or JSON. */
function findDelegatedTask(call: ToolUseParam, turns: TranscriptTurn[]): DemoDelegatedTask[] {
  const toolResult = findToolResult(call, turns);
  if (!toolResult) return [];
  const text = readToolResultText(toolResult);
  const { result } = parseToolResult(text);
  const { agent = 'the sub-agent', task = '' } = call.input as { agent?: string; task?: string };
  return [{ agent, task, result: typeof result === 'string' ? result : text, failed: toolResult.is_error === true }];
}

type ToolParams = Anthropic.MessageCreateParams['tools'];

/** Reads the schema of a tool's parameter, which holds its limits. */
function readToolParameter(
  tools: ToolParams = [],
  name: string,
  parameter: string,
): { enum?: unknown[]; maxItems?: number } {
  const tool = tools.find((candidate) => 'input_schema' in candidate && candidate.name === name);
  const properties = tool && 'input_schema' in tool ? tool.input_schema.properties : undefined;
  return (properties as Record<string, object> | undefined)?.[parameter] ?? {};
}

function listSubagents(tools: ToolParams): string[] {
  return (readToolParameter(tools, DELEGATE_TOOL, 'agent').enum ?? []).filter((name) => typeof name === 'string');
}

function readMaxQuestions(tools: ToolParams): number {
  return readToolParameter(tools, ASK_TOOL, 'questions').maxItems ?? 4;
}

function readQuestionResult(result: ToolResultParam): DemoQuestionResult {
  const { is_error } = result;
  const { answers, confirmed, comment } = is_error ? {} : parseToolResult(readToolResultText(result));
  const isAnswered = answers !== undefined || confirmed !== undefined;
  return {
    status: isAnswered ? 'answered' : is_error ? 'declined' : 'timed_out',
    answers: typeof answers === 'object' && answers !== null ? { ...answers } : {},
    confirmed: confirmed === true,
    comment: typeof comment === 'string' ? comment : undefined,
  };
}

function parseToolResult(text: string): {
  answers?: unknown;
  confirmed?: unknown;
  comment?: unknown;
  result?: unknown;
} {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function readTurnText(turn: TranscriptTurn | undefined): string {
  const texts = (turn?.blocks ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.join('\n').trim();
}

function hasToolResults(turn: TranscriptTurn): boolean {
  return turn.blocks.some((block) => block.type === 'tool_result');
}

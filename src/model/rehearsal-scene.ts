import type Anthropic from '@anthropic-ai/sdk';
import { lastSaidIn } from '#core/past';
import { asReported } from '#core/trigger';

export const ASK = 'ask_user_question';
export const CONFIRM = 'confirm_action';
export const TODOS = 'write_todos';
export const DELEGATE = 'delegate';

/** How a question to the person ended. */
export interface Ending {
  how: 'answered' | 'timed_out' | 'declined';
  answers: Record<string, unknown>;
  confirmed: boolean;
  comment?: string;
}

/** What came of a task that was given to a sub-agent. */
export interface Delegation {
  agent: string;
  task: string;
  result: string;
  failed: boolean;
}

/** The conversation since the person last spoke up, as the script needs to know it. */
export interface Scene {
  request: string;
  /** The model has said something before this request. */
  later: boolean;
  /** What the person wrote meanwhile, beside the results of tools. */
  remarks: string[];
  /** The tools called last; none at the start of the scene. */
  called: string[];
  form?: Ending;
  confirmation?: Ending;
  delegations: Delegation[];
  /** Who may be given tasks. */
  subagents: string[];
  /** How many questions a form may have. */
  mostQuestions: number;
  offered: Set<string>;
}

interface Turn {
  role: string;
  blocks: Anthropic.ContentBlockParam[];
}

export function readScene(body: Anthropic.MessageCreateParams): Scene {
  const turns = turnsOf(body.messages);
  const opening = turns.findLastIndex(
    (turn) => turn.role === 'user' && textOf(turn) !== '' && !hasResults(turn),
  );
  const start = Math.max(0, opening);
  const rest = turns.slice(start + 1);
  const calls = rest.flatMap((turn) => turn.blocks).filter((block) => block.type === 'tool_use');
  const lastReply = rest.findLast((turn) => turn.role === 'assistant')?.blocks ?? [];
  return {
    request: asReported(lastSaidIn(textOf(turns[start]))),
    later: start > 0,
    remarks: rest
      .filter((turn) => turn.role === 'user')
      .map(textOf)
      .filter(Boolean),
    called: lastReply.filter((block) => block.type === 'tool_use').map(({ name }) => name),
    form: endingOf(ASK, calls, rest),
    confirmation: endingOf(CONFIRM, calls, rest),
    delegations: calls.filter(({ name }) => name === DELEGATE).flatMap((call) => delegationOf(call, rest)),
    subagents: subagentsOf(body.tools),
    mostQuestions: mostQuestionsIn(body.tools),
    offered: new Set((body.tools ?? []).flatMap((tool) => ('name' in tool ? [tool.name] : []))),
  };
}

/** Messages of one role in a row are one turn, as they are to the API. */
function turnsOf(messages: Anthropic.MessageParam[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    const blocks: Turn['blocks'] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else if (role !== 'system') turns.push({ role, blocks: [...blocks] });
  }
  return turns;
}

type Use = Anthropic.ToolUseBlockParam;
type Result = Anthropic.ToolResultBlockParam;

function resultOf(call: Use | undefined, turns: Turn[]): Result | undefined {
  const results = turns.flatMap((turn) => turn.blocks).filter((block) => block.type === 'tool_result');
  return results.find((block) => block.tool_use_id === call?.id);
}

function saidIn({ content = '' }: Result): string {
  return typeof content === 'string' ? content : textOf({ role: 'user', blocks: content as Turn['blocks'] });
}

function endingOf(name: string, calls: Use[], turns: Turn[]): Ending | undefined {
  const result = resultOf(
    calls.findLast((block) => block.name === name),
    turns,
  );
  return result && readEnding(result);
}

/** The sub-agent's own words, whether they come as they are or within JSON. */
function delegationOf(call: Use, turns: Turn[]): Delegation[] {
  const found = resultOf(call, turns);
  if (!found) return [];
  const text = saidIn(found);
  const { result } = parse(text);
  const { agent = 'the sub-agent', task = '' } = call.input as { agent?: string; task?: string };
  return [
    { agent, task, result: typeof result === 'string' ? result : text, failed: found.is_error === true },
  ];
}

type Tools = Anthropic.MessageCreateParams['tools'];

/** A tool says in its schema what it may be called with. */
function parameterOf(
  tools: Tools = [],
  name: string,
  parameter: string,
): { enum?: unknown[]; maxItems?: number } {
  const tool = tools.find((one) => 'input_schema' in one && one.name === name);
  const properties = tool && 'input_schema' in tool ? tool.input_schema.properties : undefined;
  return (properties as Record<string, object> | undefined)?.[parameter] ?? {};
}

function subagentsOf(tools: Tools): string[] {
  return (parameterOf(tools, DELEGATE, 'agent').enum ?? []).filter((name) => typeof name === 'string');
}

function mostQuestionsIn(tools: Tools): number {
  return parameterOf(tools, ASK, 'questions').maxItems ?? 4;
}

function readEnding(result: Result): Ending {
  const { is_error } = result;
  const { answers, confirmed, comment } = is_error ? {} : parse(saidIn(result));
  const settled = answers !== undefined || confirmed !== undefined;
  return {
    how: settled ? 'answered' : is_error ? 'declined' : 'timed_out',
    answers: typeof answers === 'object' && answers !== null ? { ...answers } : {},
    confirmed: confirmed === true,
    comment: typeof comment === 'string' ? comment : undefined,
  };
}

function parse(text: string): {
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

function textOf(turn: Turn | undefined): string {
  const texts = (turn?.blocks ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.join('\n').trim();
}

function hasResults(turn: Turn): boolean {
  return turn.blocks.some((block) => block.type === 'tool_result');
}

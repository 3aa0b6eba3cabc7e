import type Anthropic from '@anthropic-ai/sdk';

export const ASK = 'ask_user_question';
export const CONFIRM = 'confirm_action';
export const TODOS = 'write_todos';

/** How a question to the person ended. */
export interface Ending {
  how: 'answered' | 'timed_out' | 'declined';
  answers: Record<string, unknown>;
  confirmed: boolean;
  comment?: string;
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
    request: textOf(turns[start]),
    later: start > 0,
    remarks: rest
      .filter((turn) => turn.role === 'user')
      .map(textOf)
      .filter(Boolean),
    called: lastReply.filter((block) => block.type === 'tool_use').map(({ name }) => name),
    form: endingOf(ASK, calls, rest),
    confirmation: endingOf(CONFIRM, calls, rest),
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

function endingOf(name: string, calls: Anthropic.ToolUseBlockParam[], turns: Turn[]): Ending | undefined {
  const call = calls.findLast((block) => block.name === name);
  const results = turns.flatMap((turn) => turn.blocks).filter((block) => block.type === 'tool_result');
  const result = results.find((block) => block.tool_use_id === call?.id);
  return result && readEnding(result);
}

function readEnding({ content = '', is_error }: Anthropic.ToolResultBlockParam): Ending {
  const text =
    typeof content === 'string' ? content : textOf({ role: 'user', blocks: content as Turn['blocks'] });
  const { answers, confirmed, comment } = is_error ? {} : parse(text);
  const settled = answers !== undefined || confirmed !== undefined;
  return {
    how: settled ? 'answered' : is_error ? 'declined' : 'timed_out',
    answers: typeof answers === 'object' && answers !== null ? { ...answers } : {},
    confirmed: confirmed === true,
    comment: typeof comment === 'string' ? comment : undefined,
  };
}

function parse(text: string): { answers?: unknown; confirmed?: unknown; comment?: unknown } {
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

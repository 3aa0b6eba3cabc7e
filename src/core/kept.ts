import type { Agent } from '#contract/agent';
import { clip, clipBytes } from './json';
import { marked } from './marked';
import { requiresConfirmation } from './permission';
import { approvalIn, commentIn, isAsking, isSpoken } from './spoken';
import type { Block, Message, ToolResult } from './state';

/** What people said, word for word and in order: their messages, of so many bytes each, and each question with its outcome. */
export function keptOf(agent: Agent, messages: Message[], longest: number): string[] {
  return messages.flatMap(({ content }, at) =>
    content.flatMap((block) => {
      if (block.type === 'text')
        return messages[at]?.role === 'user' ? [mark('message', clipBytes(block.text, longest))] : [];
      const call = block.type === 'tool_result' ? callOf(messages[at - 1], block) : undefined;
      return call ? spoken(agent, call, block as ToolResult) : [];
    }),
  );
}

/** All marks begin like this, and nothing within them may. */
const FAMILY = 'past_';

export function mark(what: string, text: string): string {
  return marked(`${FAMILY}${what}`, text, FAMILY);
}

type Use = Block & { type: 'tool_use' };

function callOf(message: Message | undefined, { tool_use_id }: ToolResult): Use | undefined {
  return message?.content.find(
    (block): block is Use => block.type === 'tool_use' && block.id === tool_use_id,
  );
}

/** A question that was never put is nobody's word. */
const NOT_PUT = /^(?!The user declined|The conversation was cancelled)/;
const ARGUMENTS_LENGTH = 4_000;
const RESULT_LENGTH = 2_000;

function spoken(agent: Agent, { name, input }: Use, result: ToolResult): string[] {
  const { content, is_error } = result;
  const asked = `${name} ${JSON.stringify(input)}`;
  if (isAsking(name))
    return is_error && NOT_PUT.test(content) ? [] : [mark('question', `${asked}\nResult: ${content}`)];
  if (!requiresConfirmation(agent, name)) return [];
  const decided = isSpoken(agent, name, result)
    ? clip(content, RESULT_LENGTH)
    : approvalIn(result) + commentIn(content);
  return [mark('decision', `${clip(asked, ARGUMENTS_LENGTH)}\nResult: ${decided}`)];
}

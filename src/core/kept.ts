import type { Agent } from '../contract/agent';
import { clip, clipBytes } from './json';
import { marked } from './marked';
import type { Block, Message, ToolResult } from './state';
import { isSpoken } from './trimming';

/** What people said, word for word and in order: their messages, of so many bytes each, and each question with its outcome. */
export function keptOf(agent: Agent, messages: Message[], longest: number): string[] {
  return messages.flatMap(({ content }, at) =>
    content.flatMap((block) => {
      if (block.type === 'text')
        return messages[at]?.role === 'user' ? [mark('message', clipBytes(block.text, longest))] : [];
      const call = block.type === 'tool_result' ? callOf(messages[at - 1], block) : undefined;
      return call && isSpoken(agent, call.name) ? spoken(call, block as ToolResult) : [];
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

function spoken({ name, input }: Use, { content, is_error }: ToolResult): string[] {
  const asked = JSON.stringify(input);
  if (name === 'ask_user_question' || name === 'confirm_action')
    return is_error && NOT_PUT.test(content)
      ? []
      : [mark('question', `${name} ${asked}\nResult: ${content}`)];
  return [
    mark('decision', `${name} ${clip(asked, ARGUMENTS_LENGTH)}\nResult: ${decided(name, content, is_error)}`),
  ];
}

const RESULT_LENGTH = 1_000;

/** What the tool itself gave back is no decision; that it ran is, and what the person added. */
function decided(name: string, content: string, isError = false): string {
  if (isError || content.includes(`${name} was not run`)) return clip(content, RESULT_LENGTH);
  const [comment = ''] = /\n\n\[Whoever approved this added: .*\]$/.exec(content) ?? [];
  return `a person approved this call and it was run. That was for this one call.${comment}`;
}

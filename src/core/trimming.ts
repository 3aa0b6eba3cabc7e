import type { Agent } from '#contract/agent';
import { clip, jsonBytes } from './json';
import { keptLineOf } from './kept-result';
import { requiresConfirmation } from './permission';
import { approvalIn, commentIn, isAsking, isSpoken } from './spoken';
import type { Block, Message, ToolResult } from './state';

/** The results of so many newest turns stay: the model is at work with them. */
const TURNS_LEFT = 3;
/** What is shorter is not worth a note in its place. */
const SHORT = 600;

const DELEGATE = 'delegate';

/** Without the oldest results of tools, as few as it takes to come down to that many bytes; all there are where none does. */
export function withoutResults(agent: Agent, transcript: Message[], most: number): Message[] {
  const names = namesIn(transcript);
  let over = jsonBytes(transcript) - most;
  return transcript.map((message, at) => {
    if (over <= 0 || at >= transcript.length - 2 * TURNS_LEFT || !hasResults(message)) return message;
    const content = message.content.map((block) => {
      const name = block.type === 'tool_result' ? names.get(block.tool_use_id) : undefined;
      if (block.type !== 'tool_result' || over <= 0 || !name || !mayGo(agent, name, block)) return block;
      const trimmed = { ...block, content: noteOn(agent, name, block) };
      over -= jsonBytes(block) - jsonBytes(trimmed);
      return trimmed;
    });
    return { ...message, content };
  });
}

/** What a sub-agent reported took long to come by, and is for the summary to tell of. */
function mayGo(agent: Agent, name: string, result: ToolResult): boolean {
  const { content } = result;
  return (
    content.length - commentIn(content).length > SHORT && name !== DELEGATE && !isSpoken(agent, name, result)
  );
}

function noteOn(agent: Agent, name: string, result: ToolResult): string {
  const { content } = result;
  const kept = keptLineOf(content);
  const gone = `[This result of ${name} (${content.length} characters) was taken out to make room.`;
  if (requiresConfirmation(agent, name))
    return `${kept ? `${kept} [` : `${gone} `}${approvalIn(result)}]${commentIn(content)}`;
  return kept ?? `${gone} Call ${name} again if you need it and that is safe.]`;
}

/** The names of the calls by their ids. */
export function namesIn(transcript: Message[]): Map<string, string> {
  const blocks = transcript.flatMap(({ content }) => content);
  return new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
}

function hasResults({ content }: Message): boolean {
  return content.some((block) => block.type === 'tool_result');
}

const LONGEST = 200_000;
const SHORTEST = 500;

/** With whatever is long cut short, as little as it takes: what one turn brought may be more than the model can read. */
export function squeezed(agent: Agent, messages: Message[], most: number): Message[] {
  if (jsonBytes(messages) <= most) return messages;
  const names = namesIn(messages);
  const isTold = (block: Block) =>
    (block.type === 'tool_result' && isSpoken(agent, names.get(block.tool_use_id) ?? '', block)) ||
    (block.type === 'tool_use' && isAsking(block.name));
  let shorter = messages;
  for (let length = LONGEST; length >= SHORTEST && jsonBytes(shorter) > most; length /= 2) {
    const cut = (block: Block) => (isTold(block) ? block : cutAt(length, block));
    shorter = messages.map((message) => ({ ...message, content: message.content.map(cut) }));
  }
  return shorter;
}

function cutAt(length: number, block: Block): Block {
  switch (block.type) {
    case 'text':
      return { ...block, text: clip(block.text, length) };
    case 'tool_result':
      return block.content.length > length
        ? { ...block, content: clip(block.content, length) + commentIn(block.content) }
        : block;
    case 'tool_use':
      return jsonBytes(block.input) > 2 * length ? { ...block, input: { cut: INPUT_CUT } } : block;
    default:
      return block;
  }
}

const INPUT_CUT = 'These arguments were taken out to make room.';

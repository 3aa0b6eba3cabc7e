import type { Agent } from '#contract/agent';
import { jsonBytes, truncateText } from '#core/json';
import { approvalNote, findApproverComment, isHumanResult, isQuestionTool } from '#core/questions/tool-results';
import { needsConfirmation } from '#core/tools/grants';
import { findStoredResultMarker } from '#core/tools/stored-result-marker';
import type { ContentBlock, ToolResultBlock, TranscriptMessage } from './transcript';

/** Turns whose results stay untrimmed: the model is working with them. */
const UNTRIMMED_TURNS = 3;
/** Shorter results are not worth replacing by a note. */
const MIN_TRIMMED_LENGTH = 600;

const DELEGATE_TOOL = 'delegate';

/** Removes as few of the oldest tool results as it takes to reach `maxBytes`. */
export function trimToolResults(agent: Agent, transcript: TranscriptMessage[], maxBytes: number): TranscriptMessage[] {
  const names = toolNamesById(transcript);
  let over = jsonBytes(transcript) - maxBytes;
  return transcript.map((message, index) => {
    if (over <= 0 || index >= transcript.length - 2 * UNTRIMMED_TURNS || !hasToolResults(message)) return message;
    const content = message.content.map((block) => {
      const name = block.type === 'tool_result' ? names.get(block.tool_use_id) : undefined;
      if (block.type !== 'tool_result' || over <= 0 || !name || !canTrim(agent, name, block)) return block;
      const trimmed = { ...block, content: trimmedNote(agent, name, block) };
      over -= jsonBytes(block) - jsonBytes(trimmed);
      return trimmed;
    });
    return { ...message, content };
  });
}

/** Sub-agents' reports are costly to produce, so they are left for the summary. */
function canTrim(agent: Agent, name: string, result: ToolResultBlock): boolean {
  const { content } = result;
  return (
    content.length - findApproverComment(content).length > MIN_TRIMMED_LENGTH &&
    name !== DELEGATE_TOOL &&
    !isHumanResult(agent, name, result)
  );
}

function trimmedNote(agent: Agent, name: string, result: ToolResultBlock): string {
  const { content } = result;
  const marker = findStoredResultMarker(content);
  const removed = `[This result of ${name} (${content.length} characters) was removed to save space.`;
  if (needsConfirmation(agent, name))
    return `${marker ? `${marker} [` : `${removed} `}${approvalNote(result)}]${findApproverComment(content)}`;
  return marker ?? `${removed} Call ${name} again if you need it and that is safe.]`;
}

/** Tool names by call id. */
export function toolNamesById(transcript: TranscriptMessage[]): Map<string, string> {
  const blocks = transcript.flatMap(({ content }) => content);
  return new Map(blocks.flatMap((block) => (block.type === 'tool_use' ? [[block.id, block.name]] : [])));
}

function hasToolResults({ content }: TranscriptMessage): boolean {
  return content.some((block) => block.type === 'tool_result');
}

const MAX_BLOCK_LENGTH = 200_000;
const MIN_BLOCK_LENGTH = 500;

/** Truncates long blocks, as little as it takes: one turn may be longer than the model can read. */
export function shortenMessages(agent: Agent, messages: TranscriptMessage[], maxBytes: number): TranscriptMessage[] {
  if (jsonBytes(messages) <= maxBytes) return messages;
  const names = toolNamesById(messages);
  const isHumanText = (block: ContentBlock) =>
    (block.type === 'tool_result' && isHumanResult(agent, names.get(block.tool_use_id) ?? '', block)) ||
    (block.type === 'tool_use' && isQuestionTool(block.name));
  let shorter = messages;
  for (let length = MAX_BLOCK_LENGTH; length >= MIN_BLOCK_LENGTH && jsonBytes(shorter) > maxBytes; length /= 2) {
    const cut = (block: ContentBlock) => (isHumanText(block) ? block : shortenBlock(length, block));
    shorter = messages.map((message) => ({ ...message, content: message.content.map(cut) }));
  }
  return shorter;
}

function shortenBlock(length: number, block: ContentBlock): ContentBlock {
  switch (block.type) {
    case 'text':
      return { ...block, text: truncateText(block.text, length) };
    case 'tool_result':
      return block.content.length > length
        ? { ...block, content: truncateText(block.content, length) + findApproverComment(block.content) }
        : block;
    case 'tool_use':
      return jsonBytes(block.input) > 2 * length ? { ...block, input: { cut: INPUT_REMOVED } } : block;
    default:
      return block;
  }
}

const INPUT_REMOVED = 'These arguments were removed to save space.';

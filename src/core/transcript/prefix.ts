import { sha256Digest } from '#core/digest';
import { jsonBytes } from '#core/json';
import type { ContentBlock, ToolChangeBlock, ToolDefinition, TranscriptMessage } from './transcript';

/** What a model call begins with, before the messages. */
export interface PromptPrefix {
  system: string;
  /** Instructions that change while a conversation runs, such as which MCP servers are unavailable. */
  status: string;
  tools: ToolDefinition[];
}

/**
 * The prefix as it was first sent, which later calls send again. Only its digest if a change is not appended but
 * replaces it, since the model cannot read appended changes or the tools are too large for the state.
 */
export type PinnedPrefix = PromptPrefix | { digest: string };

/** What the state records of a call once the model has replied. */
export interface PrefixUpdate {
  pinned?: PinnedPrefix;
  /** A system message that told the model what has changed, before its reply. */
  notice?: ContentBlock[];
}

export interface PreparedPrompt {
  prefix: PromptPrefix;
  messages: TranscriptMessage[];
  update: PrefixUpdate;
}

const MAX_PINNED_BYTES = 250_000;
/** Longer changes replace the prefix instead. */
const MAX_NOTICE_BYTES = 100_000;

/**
 * Models with preserved thinking: they accept thinking only behind an unchanged prefix, and accept changes to system
 * prompt and tools as system messages. These are Claude Fable and Mythos 5.1, the other Claude models 5.5, and later.
 */
export function hasPreservedThinking(model: string): boolean {
  const [, family = '', major, minor = 0] = /claude-([a-z]+)-(\d+)(?:[-.](\d{1,2})(?!\d))?/.exec(model) ?? [];
  return Number(major) + Number(minor) / 10 >= (['fable', 'mythos'].includes(family) ? 5.1 : 5.5);
}

/** Prepares a call so that its thinking stays valid: sends the pinned prefix again and appends what has changed. */
export function preparePrompt(
  current: PromptPrefix,
  pinned: PinnedPrefix | undefined,
  messages: TranscriptMessage[],
  canAppend: boolean,
): PreparedPrompt {
  const replaced = { prefix: current, messages: pinned ? dropThinking(messages) : messages };
  if (canAppend && jsonBytes(current) <= MAX_PINNED_BYTES) {
    if (!pinned || 'digest' in pinned) return { ...replaced, update: { pinned: current } };
    const notice = describeChanges(applyNotices(pinned, messages), current);
    if (notice.length === 0) return { prefix: pinned, messages, update: {} };
    if (jsonBytes(notice) <= MAX_NOTICE_BYTES)
      return { prefix: pinned, messages: [...messages, { role: 'system', content: notice }], update: { notice } };
    return { ...replaced, update: { pinned: current } };
  }
  const digest = sha256Digest(current);
  if (pinned && 'digest' in pinned && pinned.digest === digest) return { prefix: current, messages, update: {} };
  return { ...replaced, update: { pinned: { digest } } };
}

const NEW_SYSTEM = '[Parley: your instructions have changed. These replace all of those at the beginning.]\n\n';
const NEW_STATUS = '[Parley: what is available has changed.]\n\n';
const NOTHING_MISSING = 'All MCP servers are available.';

/** The prefix as the model knows it: as pinned, with the changes it was told. */
function applyNotices(pinned: PromptPrefix, messages: TranscriptMessage[]): PromptPrefix {
  const known = { ...pinned };
  const tools = new Map(pinned.tools.map((tool) => [tool.name, tool]));
  for (const block of messages.flatMap(({ role, content }) => (role === 'system' ? content : []))) {
    if (block.type === 'tool_removal') tools.delete(block.tool.name);
    else if (block.type === 'tool_addition') tools.set(block.tool.definition.name, block.tool.definition);
    else if (block.type !== 'text') continue;
    else if (block.text.startsWith(NEW_SYSTEM)) known.system = block.text.slice(NEW_SYSTEM.length);
    else if (block.text.startsWith(NEW_STATUS)) known.status = block.text.slice(NEW_STATUS.length);
  }
  return { ...known, tools: [...tools.values()] };
}

function describeChanges(known: PromptPrefix, current: PromptPrefix): ContentBlock[] {
  const before = new Map(known.tools.map((tool) => [tool.name, JSON.stringify(tool)]));
  const names = new Set(current.tools.map(({ name }) => name));
  const removed = known.tools.filter(({ name }) => !names.has(name));
  const added = current.tools.filter((tool) => before.get(tool.name) !== JSON.stringify(tool));
  const status = current.status || (known.status && NOTHING_MISSING);
  return [
    ...(known.system === current.system ? [] : [textBlock(NEW_SYSTEM + current.system)]),
    ...(known.status === status ? [] : [textBlock(NEW_STATUS + status)]),
    ...removed.map(({ name }): ToolChangeBlock => ({ type: 'tool_removal', tool: { type: 'tool_reference', name } })),
    ...added.map(
      (definition): ToolChangeBlock => ({ type: 'tool_addition', tool: { type: 'tool_definition', definition } }),
    ),
  ];
}

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}

/**
 * Removes the thinking, which is invalid once anything before it changes, and the notices of changes, which a new
 * prefix contains. Used wherever earlier messages are rewritten: the model's API would reject the request. Joins user
 * messages of which nothing is left in between, so that roles alternate.
 */
export function dropThinking(messages: TranscriptMessage[]): TranscriptMessage[] {
  const kept: TranscriptMessage[] = [];
  for (const message of messages) {
    const { role } = message;
    const content =
      role === 'user' ? message.content : message.content.filter((block) => !isThinking(block) && !isBlankText(block));
    if (role === 'system' || content.length === 0) continue;
    const last = kept.at(-1);
    if (role === 'user' && last?.role === 'user') kept.splice(-1, 1, { role, content: [...last.content, ...content] });
    else kept.push(content.length === message.content.length ? message : { role, content });
  }
  return kept;
}

export function isThinking({ type }: ContentBlock): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function isBlankText(block: ContentBlock): boolean {
  return block.type === 'text' && block.text.trim() === '';
}

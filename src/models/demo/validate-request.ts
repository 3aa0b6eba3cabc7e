import { isJsonObject } from '#core/json';

const TOOL_NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

/** Returns the first error for which the Messages API would reject the request with 400, in the API's words. */
export function findRequestError(body: unknown, betas: string[] = []): string | undefined {
  if (!isJsonObject(body)) return 'Input should be a valid dictionary';
  const missing = findMissingField(body);
  if (missing) return missing;
  const turns = (body.messages as unknown[]).map(toRequestTurn);
  return (
    findBetaError(body, betas) ??
    findToolsError(body.tools) ??
    findCacheError(body) ??
    findFirstError(turns, findTurnError) ??
    (turns[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role') ??
    findFirstError(turns, findPlacementError) ??
    findRepeatedId(turns) ??
    findFirstError(
      turns.filter(({ role }) => role !== 'system'),
      findPairingError,
    ) ??
    (turns.at(-1)?.role === 'assistant'
      ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
      : undefined)
  );
}

function findMissingField({ model, max_tokens, messages }: RequestObject): string | undefined {
  if (model === undefined) return 'model: Field required';
  if (typeof model !== 'string' || model === '') return 'model: String should have at least 1 character';
  if (max_tokens === undefined) return 'max_tokens: Field required';
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1) {
    return 'max_tokens: Input should be greater than or equal to 1';
  }
  if (messages === undefined) return 'messages: Field required';
  if (!Array.isArray(messages)) return 'messages: Input should be a valid list';
  return messages.length === 0 ? 'messages: at least one message is required' : undefined;
}

function findToolsError(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  const names = tools.map((tool) => (isJsonObject(tool) ? tool.name : undefined));
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  return findFirstError(tools, findToolError);
}

function findToolError(tool: unknown, index: number): string | undefined {
  if (!isJsonObject(tool)) return `tools.${index}: Input should be a valid dictionary`;
  if (tool.type !== undefined && tool.type !== 'custom') return undefined;
  const path = `tools.${index}.custom`;
  if (!isToolName(tool.name)) return `${path}.name: String should match pattern '${TOOL_NAME_PATTERN.source}'`;
  const schema = tool.input_schema;
  if (!isJsonObject(schema)) return `${path}.input_schema: Field required`;
  if (schema.type !== 'object') return `${path}.input_schema.type: Input should be 'object'`;
  const hasUnion = ['oneOf', 'allOf', 'anyOf'].some((key) => key in schema);
  return hasUnion
    ? `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
    : undefined;
}

function findCacheError(body: RequestObject): string | undefined {
  const count = JSON.stringify(body).split('"cache_control":{').length - 1;
  return count > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${count}.` : undefined;
}

/** What may be used only with a beta header, and the header. */
const BETA_FEATURES = [
  ['"block_binding":', 'thinking-binding-controls-2026-08-01'],
  ['"display":"updates"', 'thinking-display-updates-2026-08-18'],
] as const;

function findBetaError({ thinking, messages }: RequestObject, betas: string[]): string | undefined {
  const config = JSON.stringify(thinking) ?? '';
  const missing = BETA_FEATURES.find(([feature, beta]) => config.includes(feature) && !betas.includes(beta));
  if (missing) return `thinking: ${missing[0]} requires the \`${missing[1]}\` value in the \`anthropic-beta\` header.`;
  const changesTools = (messages as unknown[])
    .map(toRequestTurn)
    .some(({ blocks }) => blocks.some(({ type }) => type === 'tool_addition' || type === 'tool_removal'));
  return changesTools && !betas.includes('inline-tools-2026-09-15')
    ? 'messages: tool changes require the `inline-tools-2026-09-15` value in the `anthropic-beta` header.'
    : undefined;
}

/** A system message is between a user's message and the reply to it. */
function findPlacementError({ role }: RequestTurn, index: number, turns: RequestTurn[]): string | undefined {
  const isPlaced = turns[index - 1]?.role === 'user' && (turns[index + 1]?.role ?? 'assistant') === 'assistant';
  return role === 'system' && !isPlaced
    ? `messages.${index}: a system message must follow a user message and be followed by an assistant message or be last`
    : undefined;
}

function findTurnError({ role, content, blocks }: RequestTurn, turnIndex: number): string | undefined {
  const path = `messages.${turnIndex}`;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return `${path}.role: Input should be 'user', 'assistant' or 'system'`;
  }
  if (content === undefined || content === null) return `${path}.content: Field required`;
  if (blocks.length === 0) return `${path}: messages must have non-empty content`;
  return findFirstError(blocks, (block, index) => findBlockError(block, role, `${path}.content.${index}`));
}

function findBlockError(block: RequestObject, role: string, path: string): string | undefined {
  if (block.type === undefined) return `${path}.type: Field required`;
  if (block.type === 'text') return findTextError(block, path, role);
  if (block.type === 'tool_use') {
    if (role !== 'assistant') return `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    if (typeof block.id !== 'string' || block.id === '') return `${path}.tool_use.id: Field required`;
    if (!isToolName(block.name))
      return `${path}.tool_use.name: String should match pattern '${TOOL_NAME_PATTERN.source}'`;
    return isJsonObject(block.input) ? undefined : `${path}.tool_use.input: Input should be a valid dictionary`;
  }
  if (block.type !== 'tool_result') return undefined;
  if (role !== 'user') return `${path}: \`tool_result\` blocks can only be in \`user\` messages`;
  if (typeof block.tool_use_id !== 'string') return `${path}.tool_result.tool_use_id: Field required`;
  const textBlocks = Array.isArray(block.content) ? block.content.filter(isTextBlock) : [];
  return findFirstError(textBlocks, (text) => findTextError(text, path));
}

function findTextError({ text }: RequestObject, path: string, role?: string): string | undefined {
  if (typeof text !== 'string') return `${path}.text.text: Field required`;
  // The API takes back what it sent.
  if (role === 'assistant') return undefined;
  if (text === '') return 'messages: text content blocks must be non-empty';
  return text.trim() === '' ? 'messages: text content blocks must contain non-whitespace text' : undefined;
}

function toRequestTurn(message: unknown): RequestTurn {
  const { role, content } = isJsonObject(message) ? message : {};
  if (typeof content === 'string') return { role, content, blocks: content ? [{ type: 'text', text: content }] : [] };
  return {
    role,
    content,
    blocks: Array.isArray(content) ? content.map((block) => (isJsonObject(block) ? block : {})) : [],
  };
}

function isTextBlock(block: unknown): block is RequestObject {
  return isJsonObject(block) && block.type === 'text';
}

function isToolName(name: unknown): boolean {
  return typeof name === 'string' && TOOL_NAME_PATTERN.test(name);
}

type RequestObject = Record<string, unknown>;
interface RequestTurn {
  role: unknown;
  content: unknown;
  blocks: RequestObject[];
}

/** Finds a `tool_use` id that occurs twice in the conversation. */
function findRepeatedId(turns: RequestTurn[]): string | undefined {
  const seen = new Set<unknown>();
  return findFirstError(turns, ({ blocks }, turnIndex) =>
    findFirstError(blocks, ({ type, id }, blockIndex) => {
      if (type !== 'tool_use') return undefined;
      if (seen.has(id)) return `messages.${turnIndex}.content.${blockIndex}: \`tool_use\` ids must be unique`;
      seen.add(id);
      return undefined;
    }),
  );
}

/**
 * Checks tool results: the message right after the calls must begin with one result for each, and no other message may
 * have results.
 */
function findPairingError({ blocks }: RequestTurn, turnIndex: number, turns: RequestTurn[]): string | undefined {
  const results = blocks.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
  const duplicateId = results.find((id, index) => results.indexOf(id) !== index);
  if (duplicateId)
    return `messages.${turnIndex}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${duplicateId}`;
  const previousCallIds = listToolUseIds(turns[turnIndex - 1]);
  const strayIndex = blocks.findIndex(
    (block) => block.type === 'tool_result' && !previousCallIds.includes(block.tool_use_id),
  );
  if (strayIndex >= 0) {
    return `messages.${turnIndex}.content.${strayIndex}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${blocks[strayIndex]?.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const nextBlocks = turns[turnIndex + 1]?.blocks ?? [];
  const resultsEnd = nextBlocks.findIndex((block) => block.type !== 'tool_result');
  const answeredIds = (resultsEnd < 0 ? nextBlocks : nextBlocks.slice(0, resultsEnd)).map((block) => block.tool_use_id);
  const unansweredIds = listToolUseIds(turns[turnIndex]).filter((id) => !answeredIds.includes(id));
  return unansweredIds.length > 0
    ? `messages.${turnIndex}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unansweredIds.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    : undefined;
}

function listToolUseIds(turn: RequestTurn | undefined): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === 'tool_use').map((block) => block.id);
}

function findFirstError<T>(
  items: T[],
  check: (item: T, index: number, all: T[]) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const error = check(item, index, items);
    if (error) return error;
  }
  return undefined;
}

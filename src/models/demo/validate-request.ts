const TOOL_NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

/** What the Messages API refuses with 400, where integrations break: the first fault, as the API words it. */
export function findRequestError(body: unknown): string | undefined {
  if (!isObject(body)) return 'Input should be a valid dictionary';
  const missing = findMissingField(body);
  if (missing) return missing;
  const turns = (body.messages as unknown[]).map(toRequestTurn);
  return (
    findToolsError(body.tools) ??
    findCacheError(body) ??
    findFirstError(turns, findTurnError) ??
    (turns[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role') ??
    findRepeatedId(turns) ??
    findFirstError(turns, findPairingError) ??
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
  const names = tools.map((tool) => (isObject(tool) ? tool.name : undefined));
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  return findFirstError(tools, findToolError);
}

function findToolError(tool: unknown, at: number): string | undefined {
  if (!isObject(tool)) return `tools.${at}: Input should be a valid dictionary`;
  if (tool.type !== undefined && tool.type !== 'custom') return undefined;
  const path = `tools.${at}.custom`;
  if (!isToolName(tool.name)) return `${path}.name: String should match pattern '${TOOL_NAME_PATTERN.source}'`;
  const schema = tool.input_schema;
  if (!isObject(schema)) return `${path}.input_schema: Field required`;
  if (schema.type !== 'object') return `${path}.input_schema.type: Input should be 'object'`;
  const union = ['oneOf', 'allOf', 'anyOf'].some((key) => key in schema);
  return union
    ? `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
    : undefined;
}

function findCacheError(body: RequestObject): string | undefined {
  const found = JSON.stringify(body).split('"cache_control":{').length - 1;
  return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
}

function findTurnError({ role, content, blocks }: RequestTurn, at: number): string | undefined {
  const path = `messages.${at}`;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return `${path}.role: Input should be 'user', 'assistant' or 'system'`;
  }
  if (content === undefined || content === null) return `${path}.content: Field required`;
  if (blocks.length === 0) return `${path}: messages must have non-empty content`;
  return findFirstError(blocks, (block, index) => findBlockError(block, role, `${path}.content.${index}`));
}

function findBlockError(block: RequestObject, role: string, path: string): string | undefined {
  if (block.type === undefined) return `${path}.type: Field required`;
  if (block.type === 'text') return findTextError(block, path);
  if (block.type === 'tool_use') {
    if (role !== 'assistant') return `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    if (typeof block.id !== 'string' || block.id === '') return `${path}.tool_use.id: Field required`;
    if (!isToolName(block.name))
      return `${path}.tool_use.name: String should match pattern '${TOOL_NAME_PATTERN.source}'`;
    return isObject(block.input) ? undefined : `${path}.tool_use.input: Input should be a valid dictionary`;
  }
  if (block.type !== 'tool_result') return undefined;
  if (role !== 'user') return `${path}: \`tool_result\` blocks can only be in \`user\` messages`;
  if (typeof block.tool_use_id !== 'string') return `${path}.tool_result.tool_use_id: Field required`;
  const inner = Array.isArray(block.content) ? block.content.filter(isTextBlock) : [];
  return findFirstError(inner, (text) => findTextError(text, path));
}

function findTextError({ text }: RequestObject, path: string): string | undefined {
  if (typeof text !== 'string') return `${path}.text.text: Field required`;
  if (text === '') return 'messages: text content blocks must be non-empty';
  return text.trim() === '' ? 'messages: text content blocks must contain non-whitespace text' : undefined;
}

function toRequestTurn(message: unknown): RequestTurn {
  const { role, content } = isObject(message) ? message : {};
  if (typeof content === 'string') return { role, content, blocks: content ? [{ type: 'text', text: content }] : [] };
  return {
    role,
    content,
    blocks: Array.isArray(content) ? content.map((block) => (isObject(block) ? block : {})) : [],
  };
}

function isObject(value: unknown): value is RequestObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextBlock(block: unknown): block is RequestObject {
  return isObject(block) && block.type === 'text';
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

/** One id, one call, in the whole conversation. */
function findRepeatedId(turns: RequestTurn[]): string | undefined {
  const seen = new Set<unknown>();
  return findFirstError(turns, ({ blocks }, at) =>
    findFirstError(blocks, ({ type, id }, index) => {
      if (type !== 'tool_use') return undefined;
      if (seen.has(id)) return `messages.${at}.content.${index}: \`tool_use\` ids must be unique`;
      seen.add(id);
      return undefined;
    }),
  );
}

/** Results come first in the message right after the calls, one for each, and nowhere else. */
function findPairingError({ blocks }: RequestTurn, at: number, turns: RequestTurn[]): string | undefined {
  const results = blocks.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
  const twice = results.find((id, index) => results.indexOf(id) !== index);
  if (twice)
    return `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
  const called = listToolUseIds(turns[at - 1]);
  const stray = blocks.findIndex((block) => block.type === 'tool_result' && !called.includes(block.tool_use_id));
  if (stray >= 0) {
    return `messages.${at}.content.${stray}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${blocks[stray]?.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
  }
  const next = turns[at + 1]?.blocks ?? [];
  const end = next.findIndex((block) => block.type !== 'tool_result');
  const answered = (end < 0 ? next : next.slice(0, end)).map((block) => block.tool_use_id);
  const open = listToolUseIds(turns[at]).filter((id) => !answered.includes(id));
  return open.length > 0
    ? `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
    : undefined;
}

function listToolUseIds(turn: RequestTurn | undefined): unknown[] {
  return (turn?.blocks ?? []).filter((block) => block.type === 'tool_use').map((block) => block.id);
}

function findFirstError<T>(
  items: T[],
  check: (item: T, at: number, all: T[]) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const fault = check(item, at, items);
    if (fault) return fault;
  }
  return undefined;
}

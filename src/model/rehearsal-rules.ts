import { firstFault, type Json, pairingFault, repeatFault, type Turn } from './rehearsal-pairs';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** What the Messages API refuses with 400, where integrations break: the first fault, as the API words it. */
export function findFault(body: unknown): string | undefined {
  if (!isObject(body)) return 'Input should be a valid dictionary';
  const missing = missingFault(body);
  if (missing) return missing;
  const turns = (body.messages as unknown[]).map(turnOf);
  return (
    toolsFault(body.tools) ??
    cacheFault(body) ??
    firstFault(turns, turnFault) ??
    (turns[0]?.role === 'user' ? undefined : 'messages: first message must use the "user" role') ??
    repeatFault(turns) ??
    firstFault(turns, pairingFault) ??
    (turns.at(-1)?.role === 'assistant'
      ? 'This model does not support assistant message prefill. The conversation must end with a user message.'
      : undefined)
  );
}

function missingFault({ model, max_tokens, messages }: Json): string | undefined {
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

function toolsFault(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return 'tools: Input should be a valid list';
  const names = tools.map((tool) => (isObject(tool) ? tool.name : undefined));
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  return firstFault(tools, toolFault);
}

function toolFault(tool: unknown, at: number): string | undefined {
  if (!isObject(tool)) return `tools.${at}: Input should be a valid dictionary`;
  if (tool.type !== undefined && tool.type !== 'custom') return undefined;
  const path = `tools.${at}.custom`;
  if (!isName(tool.name)) return `${path}.name: String should match pattern '${NAME.source}'`;
  const schema = tool.input_schema;
  if (!isObject(schema)) return `${path}.input_schema: Field required`;
  if (schema.type !== 'object') return `${path}.input_schema.type: Input should be 'object'`;
  const union = ['oneOf', 'allOf', 'anyOf'].some((key) => key in schema);
  return union
    ? `${path}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
    : undefined;
}

function cacheFault(body: Json): string | undefined {
  const found = JSON.stringify(body).split('"cache_control":{').length - 1;
  return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
}

function turnFault({ role, content, blocks }: Turn, at: number): string | undefined {
  const path = `messages.${at}`;
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return `${path}.role: Input should be 'user', 'assistant' or 'system'`;
  }
  if (content === undefined || content === null) return `${path}.content: Field required`;
  if (blocks.length === 0) return `${path}: messages must have non-empty content`;
  return firstFault(blocks, (block, index) => blockFault(block, role, `${path}.content.${index}`));
}

function blockFault(block: Json, role: string, path: string): string | undefined {
  if (block.type === undefined) return `${path}.type: Field required`;
  if (block.type === 'text') return textFault(block, path);
  if (block.type === 'tool_use') {
    if (role !== 'assistant') return `${path}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    if (typeof block.id !== 'string' || block.id === '') return `${path}.tool_use.id: Field required`;
    if (!isName(block.name)) return `${path}.tool_use.name: String should match pattern '${NAME.source}'`;
    return isObject(block.input) ? undefined : `${path}.tool_use.input: Input should be a valid dictionary`;
  }
  if (block.type !== 'tool_result') return undefined;
  if (role !== 'user') return `${path}: \`tool_result\` blocks can only be in \`user\` messages`;
  if (typeof block.tool_use_id !== 'string') return `${path}.tool_result.tool_use_id: Field required`;
  const inner = Array.isArray(block.content) ? block.content.filter(isText) : [];
  return firstFault(inner, (text) => textFault(text, path));
}

function textFault({ text }: Json, path: string): string | undefined {
  if (typeof text !== 'string') return `${path}.text.text: Field required`;
  if (text === '') return 'messages: text content blocks must be non-empty';
  return text.trim() === '' ? 'messages: text content blocks must contain non-whitespace text' : undefined;
}

function turnOf(message: unknown): Turn {
  const { role, content } = isObject(message) ? message : {};
  if (typeof content === 'string')
    return { role, content, blocks: content ? [{ type: 'text', text: content }] : [] };
  return {
    role,
    content,
    blocks: Array.isArray(content) ? content.map((block) => (isObject(block) ? block : {})) : [],
  };
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(block: unknown): block is Json {
  return isObject(block) && block.type === 'text';
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && NAME.test(name);
}

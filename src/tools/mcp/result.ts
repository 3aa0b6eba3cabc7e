import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';

/** What a tool's result may hold at most; what runs tools clips at the same. */
const RESULT_LENGTH = 200_000;
/** For the words that say how much was left out. */
const NOTE_LENGTH = 100;

/** A server's result in words; a tool that says it failed is an `Error` with its words. */
export function readResult(
  { content, structuredContent, isError }: CallToolResult,
  most = RESULT_LENGTH,
): string {
  const hasText = content.some(({ type }) => type === 'text' || type === 'resource');
  const structured = structuredContent !== undefined && !hasText ? [JSON.stringify(structuredContent)] : [];
  const text = joined([...content.map(describe), ...structured], most - NOTE_LENGTH);
  if (isError) throw new Error(text || 'The tool failed and did not say why.');
  return text || 'Done; the tool returned nothing.';
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${size(block.data)}]`;
    case 'resource_link': {
      const more = [block.mimeType, block.description].filter(Boolean).join(', ');
      return `[link to ${block.title ?? block.name}: ${block.uri}${more && ` (${more})`}]`;
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return `[resource ${resource.uri}]\n${resource.text}`;
      return `[resource ${resource.uri}: ${resource.mimeType ?? 'of no said type'}, ${size(resource.blob)}]`;
    }
    default:
      return '[something of a kind that cannot be shown]';
  }
}

function size(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1_000 ? `${bytes} bytes` : `${Math.round(bytes / 1_000)} KB`;
}

/** Joined only as far as it will be read. */
function joined(parts: string[], most: number): string {
  let text = '';
  let left = 0;
  for (const part of parts) {
    const line = text === '' ? part : `\n${part}`;
    const kept = line.slice(0, most - text.length);
    left += line.length - kept.length;
    text += kept;
  }
  return left === 0 ? text : `${text}… [${left} more characters]`;
}

const NON_ASCII = /[^\0-\x7f]/;

/** UTF-8 length in bytes. Hand-written: the workflow sandbox has no Buffer. ASCII takes the fast path. */
export function byteLength(text: string): number {
  let bytes = text.length;
  if (!NON_ASCII.test(text)) return bytes;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) bytes += unit < 0x800 ? 1 : 2;
    // Skip the second half of a surrogate pair: together they are four bytes.
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) index += 1;
  }
  return bytes;
}

export function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value) ?? '');
}

/** Replaces lone surrogates, which the model's API rejects. */
export function toWellFormed(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

/** Truncates to a number of characters and notes how many were cut. */
export function truncateText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const kept = text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… [${text.length - kept.length} more characters]`;
}

/** Truncates to roughly a number of bytes. */
export function truncateBytes(text: string, maxBytes: number): string {
  const bytes = byteLength(text);
  return bytes <= maxBytes ? text : truncateText(text, Math.floor((maxBytes * text.length) / bytes));
}

export const MAX_JSON_DEPTH = 64;

/** Deep nesting would overflow the stack of code that walks the value. */
export function isTooDeeplyNested(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_JSON_DEPTH) return true;
    level = level.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : []));
  }
  return false;
}

/** JSON as a Markdown code block, for the context of a confirmation. */
export function formatJsonBlock(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Parses JSON; undefined if it is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is a JSON object: neither a list nor null. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Bytes of a text in UTF-8. Written out, since the workflow sandbox has no Buffer. */
export function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

export function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value) ?? '');
}

/** Shorten to that many characters, and say so. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a character is none, and the model's API refuses it.
  const kept = text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}… [${text.length - kept.length} more characters]`;
}

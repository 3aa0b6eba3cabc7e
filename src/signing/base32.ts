const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 in lower case and with no padding: what mail servers do to the case of letters does not harm it. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += LETTERS[(held >> (bits - 5)) & 31];
    held &= 31;
  }
  return bits > 0 ? text + LETTERS[(held << (5 - bits)) & 31] : text;
}

/** Nothing where it is no base32, or not the only way to write these bytes. */
export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.toLowerCase()) {
    const value = LETTERS.indexOf(letter);
    if (value < 0) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  const read = Buffer.from(bytes);
  return toBase32(read) === text.toLowerCase() ? read : undefined;
}

/** Control characters, and characters that reorder or hide text. */
const UNSAFE_CHARACTERS = /(?!\n)[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE_CODE = 0x7f;

/**
 * Makes untrusted text safe to print: it cannot move the cursor, change colors, set a title or reverse text. Line
 * breaks are kept. All text from the API passes through here before it is printed.
 */
export function sanitizeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(UNSAFE_CHARACTERS, (character) => controlPicture(character.charCodeAt(0)));
}

/** Sanitizes text and joins it to one line. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function controlPicture(code: number): string {
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === DELETE_CODE ? '\u2421' : '\ufffd';
}

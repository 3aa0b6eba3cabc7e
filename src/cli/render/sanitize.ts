/** What a terminal would obey instead of showing it, and what turns around or hides what one reads. */
const UNSAFE_CHARACTERS = /(?!\n)[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const CONTROL_PICTURES = 0x2400;
const DELETE_CODE = 0x7f;

/**
 * Text that others wrote, made harmless: nothing in it moves the cursor, changes a colour, sets a title or writes backwards.
 * Its lines stay. Everything from the API goes through here on its way to a screen.
 */
export function sanitizeText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(UNSAFE_CHARACTERS, (character) => controlPicture(character.charCodeAt(0)));
}

/** The same on one line. */
export function sanitizeLine(text: string): string {
  return sanitizeText(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function controlPicture(code: number): string {
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === DELETE_CODE ? '\u2421' : '\ufffd';
}

/** What a terminal would obey instead of showing it, and what turns around or hides what one reads. */
const POWERFUL = /(?!\n)[\p{Cc}\p{Bidi_Control}\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb]/gu;
const PICTURES = 0x2400;
const DELETE = 0x7f;

/**
 * Text that others wrote, made harmless: nothing in it moves the cursor, changes a colour, sets a title or writes backwards.
 * Its lines stay. Everything from the API goes through here on its way to a screen.
 */
export function safe(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', '  ')
    .replace(POWERFUL, (character) => picture(character.charCodeAt(0)));
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safe(text)
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

function picture(code: number): string {
  if (code < 0x20) return String.fromCharCode(PICTURES + code);
  return code === DELETE ? '\u2421' : '\ufffd';
}

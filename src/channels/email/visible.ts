/** Marks of direction and what has no width: they turn around or hide what one reads. Joiners stay, which make emoji and letters. */
const HIDDEN = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Text of an agent or a person, with whatever would hide in it written out. */
export function visible(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (character) => (/[\n\t]/.test(character) ? character : named(character)));
}

/** In one line: for subjects, and whatever else must not break. */
export function inOneLine(text: string): string {
  return visible(text.replace(/\s+/gu, ' ').trim());
}

export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, most - 1)
        .join('')
        .trimEnd()}…`;
}

function named(character: string): string {
  return `⟨U+${hex(character).toUpperCase()}⟩`;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
}

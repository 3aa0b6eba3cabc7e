/** The content of an email, rendered both as text and as HTML. */
export interface EmailContent {
  subject: string;
  /** What lists of mail show next to the subject. */
  preview: string;
  /** `from` says who asks; `title` is the conversation's. */
  heading: { from: string; title: string };
  parts: EmailPart[];
  /** Why they get it, in small print. */
  footer: string[];
}

export type EmailPart =
  | { kind: 'question'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'markdown'; text: string }
  /** Shown character by character, below a label. */
  | { kind: 'preformatted'; label: string; text: string }
  /** `isSingleChoice`: picking one choice answers the question. */
  | { kind: 'choices'; choices: EmailChoice[]; isSingleChoice: boolean }
  /** Facts with their names, as in who, where, when. */
  | { kind: 'facts'; facts: [name: string, value: string][] }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'hint'; text: string };

export interface EmailChoice {
  /** What it may be chosen by. */
  number: number | undefined;
  label: string;
  description: string | undefined;
  /** Where it is chosen already. */
  url: string | undefined;
}

/**
 * Marks of direction and what has no width: they turn around or hide what one reads. Joiners stay, which make emoji and
 * letters.
 */
const HIDDEN_CHARACTERS = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Text of an agent or a person, with whatever would hide in it written out. */
export function escapeHiddenCharacters(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN_CHARACTERS, (character) => (/[\n\t]/.test(character) ? character : nameCharacter(character)));
}

/** In one line: for subjects, and whatever else must not break. */
export function toSingleLine(text: string): string {
  return escapeHiddenCharacters(text.replace(/\s+/gu, ' ').trim());
}

export function truncateCharacters(text: string, maxLength: number): string {
  const characters = [...text];
  return characters.length <= maxLength
    ? text
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`;
}

function nameCharacter(character: string): string {
  return `⟨U+${hexCodePoint(character).toUpperCase()}⟩`;
}

function hexCodePoint(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0');
}

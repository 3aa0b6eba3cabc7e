/** The content of an email, rendered both as text and as HTML. */
export interface EmailContent {
  subject: string;
  /** Shown beside the subject in the inbox. */
  preview: string;
  /** `from` says who asks; `title` is the conversation's. */
  heading: { from: string; title: string };
  parts: EmailPart[];
  /** Why the recipient gets it, in small print. */
  footer: string[];
}

export type EmailPart =
  | { kind: 'question'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'markdown'; text: string }
  /** Shown verbatim, below a label. */
  | { kind: 'preformatted'; label: string; text: string }
  /** `isSingleChoice`: picking one choice answers the question. */
  | { kind: 'choices'; choices: EmailChoice[]; isSingleChoice: boolean }
  /** Names with values, such as who, where, when. */
  | { kind: 'facts'; facts: [name: string, value: string][] }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'hint'; text: string };

export interface EmailChoice {
  /** The number it can be chosen by, if any. */
  number: number | undefined;
  label: string;
  description: string | undefined;
  /** The answer page with this choice preselected. */
  url: string | undefined;
}

/**
 * Direction marks and characters of no width, which reorder or hide text. Joiners are allowed, since emoji and letters
 * need them.
 */
const HIDDEN_CHARACTERS = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** Escapes hidden characters in text by an agent or a person, so that the reader sees them. */
export function escapeHiddenCharacters(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(HIDDEN_CHARACTERS, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).padStart(4, '0').toUpperCase();
    return /[\n\t]/.test(character) ? character : `⟨U+${code}⟩`;
  });
}

/** Puts text on one line, for subjects and the like. */
export function toSingleLine(text: string): string {
  return escapeHiddenCharacters(text.replace(/\s+/gu, ' ').trim());
}

export function truncateCharacters(text: string, maxLength: number): string {
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  const kept = characters.slice(0, maxLength - 1).join('');
  return `${kept.trimEnd()}…`;
}

/** What a mail says, once: it is written both as text and as HTML. */
export interface Letter {
  subject: string;
  /** What lists of mail show next to the subject. */
  preview: string;
  /** Who asks, and about what. */
  heading: { who: string; title: string };
  parts: Part[];
  /** Why they get it, in small print. */
  footer: string[];
}

export type Part =
  | { kind: 'question'; text: string }
  | { kind: 'paragraph'; text: string }
  | { kind: 'markdown'; text: string }
  /** To the letter, with a line above that says what it is. */
  | { kind: 'exact'; label: string; text: string }
  /** `isOne`: a choice settles it. */
  | { kind: 'choices'; choices: Choice[]; isOne: boolean }
  /** Facts with their names, as in who, where, when. */
  | { kind: 'facts'; facts: [name: string, value: string][] }
  | { kind: 'button'; label: string; url: string }
  | { kind: 'hint'; text: string };

export interface Choice {
  /** What it may be chosen by. */
  number: number | undefined;
  label: string;
  description: string | undefined;
  /** Where it is chosen already. */
  url: string | undefined;
}

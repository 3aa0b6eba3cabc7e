import { choicesIn, isNumbered, takesSeveral } from '#channels/email/choices';
import type { Field, Other, Question } from '#contract/question';
import { NO, YES } from '#core/asking';

/** What was chosen, or what was written instead. */
export type Chosen = { ok: true; choices: (string | Other)[] } | { ok: false; written: string };

/** No label is as long. */
const LABEL = 1_000;

const BEFORE = new Set(' "\'“”*_`([-');
const AFTER = new Set(' "\'“”*_`)].,;:!-');

/** How people write a label: in whatever case, with a bullet before, a full stop after, or in quotes. */
function plain(text: string): string {
  const words = text.normalize('NFKC').toLowerCase().replace(/[‘’]/g, "'").replace(/\s+/g, ' ');
  let [from, to] = [0, words.length];
  while (from < to && BEFORE.has(words.charAt(from))) from += 1;
  while (to > from && AFTER.has(words.charAt(to - 1))) to -= 1;
  return words.slice(from, to);
}

type Naming = (words: string) => string | undefined;

/** The one choice that these words name. A near miss is none: it could be anything. */
export function choiceNamed(question: Question, field: Field, words: string): string | undefined {
  return namingOf(question, field)(words);
}

/** The same for many words. */
function namingOf(question: Question, field: Field): Naming {
  const labels = choicesIn(field).map(({ label }) => label);
  const plains = labels.map(plain);
  const hasNumbers = isNumbered(question, field);
  return (words) => {
    if (labels.includes(words.trim())) return words.trim();
    const meant = words.length > LABEL ? '' : plain(words);
    if (meant === '') return undefined;
    const alike = labels.filter((_label, at) => plains[at] === meant);
    if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
    if (question.confirms) return { yes: YES, no: NO }[meant];
    return hasNumbers ? numbered(labels, meant) : undefined;
  };
}

/** `2`, `#2`, or `2. Blue` if that is what the second one is. */
function numbered(labels: string[], meant: string): string | undefined {
  const [, number, words] = /^#?(\d{1,3})(?:[.):]? ?(?:- )?(\D.*))?$/.exec(meant) ?? [];
  const label = labels[Number(number) - 1];
  return words === undefined || (label !== undefined && plain(label) === plain(words)) ? label : undefined;
}

/** The choices that these lines name, and how many of the lines that took. */
export function choose(question: Question, field: Field, lines: string[]): Chosen {
  const given = takesSeveral(field) ? lines : lines.slice(0, 1);
  const named = namingOf(question, field);
  const choices: (string | Other)[] = [];
  for (const line of given) {
    const chosen = inLine(field, named, line);
    if (!chosen.ok) return chosen;
    choices.push(...chosen.choices);
  }
  return { ok: true, choices: [...new Set(choices)] };
}

const OTHER = /^\s*(?:[-*•]\s*)?other\s*:\s*(\S.*)$/is;

function inLine(field: Field, named: Naming, line: string): Chosen {
  const whole = named(line.replace(/^\s*[-*•]\s+/, ''));
  if (whole !== undefined) return { ok: true, choices: [whole] };
  const other = otherIn(field, line);
  if (other) return { ok: true, choices: [other] };
  return takesSeveral(field) ? severalIn(field, named, line) : { ok: false, written: line.trim() };
}

function otherIn({ options, allowOther }: Field, text: string): Other | undefined {
  const [, other] = options && allowOther ? (OTHER.exec(text) ?? []) : [];
  return other === undefined ? undefined : { other: other.trim() };
}

const SAYS_OTHER = /^\s*(?:[-*•]\s*)?other\s*:/i;

/** Between commas; a label that has commas of its own is taken as a whole, the longest first. */
function severalIn(field: Field, named: Naming, line: string): Chosen {
  const parts = line.split(/[,;]/);
  const longest = Math.max(1, ...choicesIn(field).map(({ label }) => label.split(/[,;]/).length));
  const choices = new Set<string | Other>();
  for (let at = 0; at < parts.length; ) {
    const part = parts[at] ?? '';
    // Whatever follows is part of it, so this is looked at once.
    const other = SAYS_OTHER.test(part) ? otherIn(field, parts.slice(at).join(',')) : undefined;
    if (other) return { ok: true, choices: [...choices, other] };
    const found = part.trim() === '' ? { end: at + 1 } : longestAt(named, parts, at, longest);
    if (!found) return { ok: false, written: part.trim() };
    if (found.label !== undefined) choices.add(found.label);
    at = found.end;
  }
  return { ok: true, choices: [...choices] };
}

function longestAt(
  named: Naming,
  parts: string[],
  at: number,
  longest: number,
): { end: number; label?: string } | undefined {
  for (let end = Math.min(parts.length, at + longest); end > at; end -= 1) {
    const label = named(parts.slice(at, end).join(','));
    if (label !== undefined) return { end, label };
  }
  return undefined;
}

import type { Field, Other, Question } from '../../../contract/question';
import { NO, YES } from '../../../core/asking';
import { choicesIn, isNumbered, takesSeveral } from '../choices';

/** What was chosen, or what was written instead. */
export type Chosen = { ok: true; choices: (string | Other)[] } | { ok: false; written: string };

/** No label is as long. */
const LABEL = 1_000;

/** How people write a label: in whatever case, with a bullet before, a full stop after, or in quotes. */
function plain(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/^[\s"'“”*_`([-]+|[\s"'“”*_`)\].,;:!…-]+$/g, '');
}

/** The one choice that these words name. A near miss is none: it could be anything. */
export function choiceNamed(question: Question, field: Field, words: string): string | undefined {
  const labels = choicesIn(field).map(({ label }) => label);
  if (labels.includes(words.trim())) return words.trim();
  const meant = words.length > LABEL ? '' : plain(words);
  if (meant === '') return undefined;
  const alike = labels.filter((label) => plain(label) === meant);
  if (alike.length > 0) return alike.length === 1 ? alike[0] : undefined;
  if (question.confirms) return { yes: YES, no: NO }[meant];
  return isNumbered(question, field) ? numbered(labels, meant) : undefined;
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
  const choices: (string | Other)[] = [];
  for (const line of given) {
    const chosen = inLine(question, field, line);
    if (!chosen.ok) return chosen;
    choices.push(...chosen.choices);
  }
  return { ok: true, choices: [...new Set(choices)] };
}

const OTHER = /^\s*(?:[-*•]\s*)?other\s*:\s*(\S.*)$/is;

function inLine(question: Question, field: Field, line: string): Chosen {
  const whole = choiceNamed(question, field, line.replace(/^\s*[-*•]\s+/, ''));
  if (whole !== undefined) return { ok: true, choices: [whole] };
  const [, other] = field.options && field.allowOther ? (OTHER.exec(line) ?? []) : [];
  if (other !== undefined) return { ok: true, choices: [{ other: other.trim() }] };
  return takesSeveral(field) ? severalIn(question, field, line) : { ok: false, written: line.trim() };
}

/** Between commas; a label that has commas of its own is taken as a whole, the longest first. */
function severalIn(question: Question, field: Field, line: string): Chosen {
  const parts = line.split(/[,;]/);
  const choices: (string | Other)[] = [];
  for (let at = 0; at < parts.length; ) {
    if (parts[at]?.trim() === '') {
      at += 1;
      continue;
    }
    const [, other] = field.options && field.allowOther ? (OTHER.exec(parts.slice(at).join(',')) ?? []) : [];
    if (other !== undefined) return { ok: true, choices: [...choices, { other: other.trim() }] };
    const end = endOfLabel(question, field, parts, at);
    if (end === undefined) return { ok: false, written: parts[at]?.trim() ?? '' };
    choices.push(choiceNamed(question, field, parts.slice(at, end).join(',')) ?? '');
    at = end;
  }
  return { ok: true, choices };
}

function endOfLabel(question: Question, field: Field, parts: string[], at: number): number | undefined {
  for (let end = Math.min(parts.length, at + 8); end > at; end -= 1)
    if (choiceNamed(question, field, parts.slice(at, end).join(',')) !== undefined) return end;
  return undefined;
}

import type { Subject } from '#channels/channel';
import type { Field, Question } from '#contract/question';
import { contextBeside, shownArguments } from '#core/shown-action';
import { linkUrl, writeLink } from '#signing/link';
import { choicesIn, isNumbered, takesSeveral } from './choices';
import type { Choice, Letter, Part } from './letter';
import { inOneLine, shortened, visible } from './visible';

/** With `Re: ` it is at most 120. */
const SUBJECT = 116;
const TITLE = 160;

/** Where that person answers. It shows the question, and changes nothing until they say so there. */
export function answerLink(
  secret: string,
  { links, question }: Pick<Subject, 'links' | 'question'>,
  person: string,
): string {
  const { conversationId, id, expiresAt } = question;
  const until = expiresAt === null ? null : Date.parse(expiresAt);
  const link = { conversation: conversationId, question: id, person, until, granted: null };
  return linkUrl(baseOf(links.self), writeLink(secret, link));
}

function baseOf(self: string): string {
  return self.slice(0, self.lastIndexOf('/v1/conversations/'));
}

export function headingOf({ question, title }: Pick<Subject, 'question' | 'title'>): Letter['heading'] {
  const who = question.origin.map(inOneLine).join(' › ');
  return { who: `${who} asks`, title: shortened(inOneLine(title), TITLE) };
}

/** What is asked first, then by whom and about what; never more than a line. */
export function subjectOf({ question, title }: Pick<Subject, 'question' | 'title'>): string {
  const [first, ...more] = question.fields;
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  const asked = `${shortened(inOneLine(first?.question ?? ''), 70)}${rest} [${question.agent}`;
  const left = SUBJECT - [...asked].length - 3;
  return shortened(left < 4 ? asked : `${asked}: ${shortened(inOneLine(title), left)}]`, SUBJECT);
}

/** The question itself; with a link, each choice leads there and is made already. */
export function questionParts(question: Question, link: string | undefined): Part[] {
  return [...contextParts(question), ...fieldsParts(question, link)];
}

export function fieldsParts(question: Question, link: string | undefined): Part[] {
  return question.fields.flatMap((field) => fieldParts(question, field, link));
}

/** What the agent says about it, and for a confirmation exactly what a yes lets happen. */
function contextParts({ context, confirms }: Question): Part[] {
  if (!confirms) return context ? [{ kind: 'markdown', text: visible(context) }] : [];
  const { tool } = confirms;
  const beside = contextBeside(context, confirms);
  const label = tool
    ? `A yes runs ${visible(tool)} once, with exactly these arguments:`
    : 'A yes is to exactly this:';
  const isTold = tool !== null || confirms.arguments !== null;
  return [
    ...(beside ? [{ kind: 'markdown' as const, text: visible(beside) }] : []),
    ...(isTold ? [{ kind: 'exact' as const, label, text: shownArguments(confirms.arguments) }] : []),
  ];
}

function fieldParts(question: Question, field: Field, link: string | undefined): Part[] {
  const asked = question.fields.length > 1 ? `${field.key.slice(1)}. ${field.question}` : field.question;
  const choices = choicesFor(question, field, link);
  return [
    { kind: 'question', text: visible(asked) },
    ...(choices.length > 0 ? [{ kind: 'choices' as const, choices, isOne: !takesSeveral(field) }] : []),
  ];
}

function choicesFor(question: Question, field: Field, link: string | undefined): Choice[] {
  const hasNumbers = isNumbered(question, field);
  return choicesIn(field).map(({ label, description }, index) => ({
    number: hasNumbers ? index + 1 : undefined,
    label: visible(label),
    description: description && visible(description),
    url: link && `${link}?${field.key}=${encodeURIComponent(label)}`,
  }));
}

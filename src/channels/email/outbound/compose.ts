import { buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import type { NotificationContext, OutgoingNotification } from '#channels/channel';
import type { AnswerValue, Question, QuestionField } from '#contract/question';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatDuration, formatUtcTime } from '#presentation/format-time';
import { describeOutcome, describeTimeoutPolicy, formatAnswerValue } from '#presentation/labels';
import {
  type EmailChoice,
  type EmailContent,
  type EmailPart,
  escapeHiddenCharacters,
  toSingleLine,
  truncateCharacters,
} from './content';
import {
  canAnswerByReply,
  canChooseByNumber,
  describeReplyExtras,
  describeReplyFormat,
  isMultiSelectReply,
  listEmailChoices,
} from './reply-instructions';

/** What the one who is written to can do about it. */
export interface EmailAnswerOptions {
  /** Their own page to answer on; none where it is for others to answer, or their links were taken back. */
  link: string | undefined;
  /** What a reply by mail is known by; none where they cannot answer so. */
  token: string | undefined;
  /** They may answer, be it by a link or not. */
  isTheirs?: true;
}

export const MAX_PREVIEW_LENGTH = 140;

/** Asks, brings to mind again, or tells that it is somebody else's turn. */
export function composeQuestionEmail(
  notice: OutgoingNotification,
  ways: EmailAnswerOptions,
  now: number,
): EmailContent {
  const { question, what, place } = notice;
  const isFirst = what === 'asked';
  const deadline = formatEmailDeadline(question, now);
  const said = isFirst ? [] : [createParagraph(`${formatOccasion(notice)} The question is still open.`)];
  return {
    subject: createEmailSubject(notice),
    preview: truncateCharacters(`${isFirst ? '' : `${formatOccasion(notice)} `}${deadline}`, MAX_PREVIEW_LENGTH),
    heading: createEmailHeading(notice),
    parts: [
      ...said,
      ...createQuestionParts(question, ways.link),
      ...createAnswerParts(notice, ways),
      createParagraph(deadline),
      ...createReplyHint(question, ways),
    ],
    footer: createEmailFooter(`You get this at ${place} because questions of ${question.agent} are told there.`, ways),
  };
}

/** `reminder 1 of 2`, `escalated to maria`: as a sentence. */
function formatOccasion({ what }: OutgoingNotification): string {
  const text = toSingleLine(what);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function createAnswerParts({ links }: NotificationContext, { link, isTheirs }: EmailAnswerOptions): EmailPart[] {
  if (link) return [{ kind: 'button', label: 'Answer', url: link }];
  if (isTheirs) return [{ kind: 'button', label: 'Answer in Parley', url: links.web }];
  return [
    createParagraph(
      'It is for others to answer: its owner, and those it is assigned to. You are told so that you know.',
    ),
    { kind: 'button', label: 'See it in Parley', url: links.web },
  ];
}

function createReplyHint(question: Question, { token }: EmailAnswerOptions): EmailPart[] {
  if (!token || !canAnswerByReply(question)) return [];
  return [
    {
      kind: 'hint',
      text: `Or reply to this mail with ${describeReplyFormat(question)}. ${describeReplyExtras(question)}`,
    },
  ];
}

/** The question is settled: nothing more to do. */
export function composeOutcomeEmail({ question, title, links, place }: NotificationContext): EmailContent {
  const sentence = formatOutcomeSentence(question);
  return {
    subject: createEmailSubject({ question, title }),
    preview: truncateCharacters(sentence, MAX_PREVIEW_LENGTH),
    heading: {
      ...createEmailHeading({ question, title }),
      who: question.origin.map(toSingleLine).join(' › '),
    },
    parts: [
      { kind: 'question', text: sentence },
      { kind: 'facts', facts: listOutcomeFacts(question) },
      createParagraph('There is nothing more for you to do.'),
      { kind: 'button', label: 'See it in Parley', url: links.web },
    ],
    footer: [`You get this at ${place} because you were told of the question before.`],
  };
}

/** The reference comes back with what is quoted, where a mail program lost all else. */
export function createEmailFooter(why: string, { link, token }: EmailAnswerOptions): string[] {
  return [
    escapeHiddenCharacters(why),
    ...(link ? ['The links are for you alone: whoever has them can answer in your name.'] : []),
    ...(token ? [`[parley:${token}]`] : []),
  ];
}

export function createParagraph(text: string): EmailPart {
  return { kind: 'paragraph', text: escapeHiddenCharacters(text) };
}

/** With `Re: ` it is at most 120. */
const MAX_SUBJECT_LENGTH = 116;
const MAX_TITLE_LENGTH = 160;

/** Where that person answers. It shows the question, and changes nothing until they say so there. */
export function createEmailAnswerLink(
  secret: string,
  { links, question }: Pick<NotificationContext, 'links' | 'question'>,
  person: string,
): string {
  const { conversationId, id, expiresAt } = question;
  const until = expiresAt === null ? null : Date.parse(expiresAt);
  const link = { conversation: conversationId, question: id, person, until, granted: null };
  return buildAnswerLinkUrl(baseUrlOf(links.self), createAnswerLinkToken(secret, link));
}

function baseUrlOf(self: string): string {
  return self.slice(0, self.lastIndexOf('/v1/conversations/'));
}

export function createEmailHeading({
  question,
  title,
}: Pick<NotificationContext, 'question' | 'title'>): EmailContent['heading'] {
  const who = question.origin.map(toSingleLine).join(' › ');
  return { who: `${who} asks`, title: truncateCharacters(toSingleLine(title), MAX_TITLE_LENGTH) };
}

/** What is asked first, then by whom and about what; never more than a line. */
export function createEmailSubject({ question, title }: Pick<NotificationContext, 'question' | 'title'>): string {
  const [first, ...more] = question.fields;
  const rest = more.length > 0 ? ` (and ${more.length} more)` : '';
  const asked = `${truncateCharacters(toSingleLine(first?.question ?? ''), 70)}${rest} [${question.agent}`;
  const left = MAX_SUBJECT_LENGTH - [...asked].length - 3;
  return truncateCharacters(
    left < 4 ? asked : `${asked}: ${truncateCharacters(toSingleLine(title), left)}]`,
    MAX_SUBJECT_LENGTH,
  );
}

/** The question itself; with a link, each choice leads there and is made already. */
function createQuestionParts(question: Question, link: string | undefined): EmailPart[] {
  return [...createContextParts(question), ...createAllFieldParts(question, link)];
}

export function createAllFieldParts(question: Question, link: string | undefined): EmailPart[] {
  return question.fields.flatMap((field) => createFieldParts(question, field, link));
}

/** What the agent says about it, and for a confirmation exactly what a yes lets happen. */
function createContextParts({ context, confirms }: Question): EmailPart[] {
  if (!confirms) return context ? [{ kind: 'markdown', text: escapeHiddenCharacters(context) }] : [];
  const { tool } = confirms;
  const beside = contextWithoutArguments(context, confirms);
  const label = tool
    ? `A yes runs ${escapeHiddenCharacters(tool)} once, with exactly these arguments:`
    : 'A yes is to exactly this:';
  const isTold = tool !== null || confirms.arguments !== null;
  return [
    ...(beside ? [{ kind: 'markdown' as const, text: escapeHiddenCharacters(beside) }] : []),
    ...(isTold ? [{ kind: 'exact' as const, label, text: formatArguments(confirms.arguments) }] : []),
  ];
}

function createFieldParts(question: Question, field: QuestionField, link: string | undefined): EmailPart[] {
  const asked = question.fields.length > 1 ? `${field.key.slice(1)}. ${field.question}` : field.question;
  const choices = createFieldChoices(question, field, link);
  return [
    { kind: 'question', text: escapeHiddenCharacters(asked) },
    ...(choices.length > 0 ? [{ kind: 'choices' as const, choices, isOne: !isMultiSelectReply(field) }] : []),
  ];
}

function createFieldChoices(question: Question, field: QuestionField, link: string | undefined): EmailChoice[] {
  const hasNumbers = canChooseByNumber(question, field);
  return listEmailChoices(field).map(({ label, description }, index) => ({
    number: hasNumbers ? index + 1 : undefined,
    label: escapeHiddenCharacters(label),
    description: description && escapeHiddenCharacters(description),
    url: link && `${link}?${field.key}=${encodeURIComponent(label)}`,
  }));
}

const MAX_VALUE_LENGTH = 2_000;

/** Who settled it, where and when. */
export function formatOutcomeSentence(question: Question): string {
  const when = question.outcome ? ` (${formatUtcTime(question.outcome.at)})` : '';
  return `${toSingleLine(describeOutcome(question))}${when}.`;
}

/** What was answered, by what was asked, and what was said along with it. */
export function listOutcomeFacts({ fields, outcome, status }: Question): [name: string, value: string][] {
  const { answers = {}, comment } = outcome ?? {};
  const given = fields.map((field): [string, string] => [
    escapeHiddenCharacters(field.question),
    formatFieldAnswer(field, answers),
  ]);
  const said: [string, string][] = comment
    ? [[status === 'declined' ? 'Reason' : 'Comment', formatValueText(comment)]]
    : [];
  return [...given, ...said];
}

function formatFieldAnswer({ key }: QuestionField, answers: Record<string, AnswerValue>): string {
  const value = Object.hasOwn(answers, key) ? answers[key] : undefined;
  return value === undefined ? '(no answer)' : formatValueText(formatAnswerValue(value));
}

function formatValueText(text: string): string {
  return truncateCharacters(escapeHiddenCharacters(text), MAX_VALUE_LENGTH);
}

/** Until when, in words, and what happens then. */
export function formatEmailDeadline({ expiresAt, onTimeout }: Question, now: number): string {
  if (!expiresAt) return 'It waits until somebody answers.';
  const left = Date.parse(expiresAt) - now;
  const soon = left > 0 ? `, about ${formatDuration(left)} after this was sent` : '';
  return `Please answer by ${formatUtcTime(expiresAt)}${soon}. ${describeTimeoutPolicy({ onTimeout })}`.trim();
}

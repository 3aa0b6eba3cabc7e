import { buildAnswerLinkUrl, createAnswerLinkToken } from '#channels/answer-link-token';
import type { NotificationContext, OutgoingNotification } from '#channels/channel';
import type { Question, QuestionField } from '#contract/question';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { isMultiSelectField } from '#presentation/field-control';
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
import { canChooseByNumber, createReplyHint, listEmailChoices } from './reply-instructions';

export interface EmailAnswerOptions {
  /** The recipient's answer page; undefined if they may not answer, or if their links were revoked. */
  link: string | undefined;
  /** The reply token; undefined if they cannot answer by email. */
  token: string | undefined;
  /** Set if they may answer, with or without a link. */
  canAnswer?: true;
}

export const MAX_PREVIEW_LENGTH = 140;

/** Composes the email of a new question, a reminder or an escalation. */
export function composeQuestionEmail(
  notification: OutgoingNotification,
  answerOptions: EmailAnswerOptions,
  now: number,
): EmailContent {
  const { question, reason, target } = notification;
  const isInitial = reason === 'asked';
  const deadline = formatEmailDeadline(question, now);
  const introduction = isInitial ? [] : [createParagraph(`${formatReason(notification)} The question is still open.`)];
  return {
    subject: createEmailSubject(notification),
    preview: truncateCharacters(`${isInitial ? '' : `${formatReason(notification)} `}${deadline}`, MAX_PREVIEW_LENGTH),
    heading: createEmailHeading(notification),
    parts: [
      ...introduction,
      ...createContextParts(question),
      ...createAllFieldParts(question, answerOptions.link),
      ...createAnswerParts(notification, answerOptions),
      createParagraph(deadline),
      ...(answerOptions.token ? createReplyHint(question, 'Or reply to this email with') : []),
    ],
    footer: createEmailFooter(
      `You received this at ${target} because questions from ${question.agent} are sent there.`,
      answerOptions,
    ),
  };
}

/** Formats the reason (`reminder 1 of 2`, `escalated to maria`) as a sentence. */
function formatReason({ reason }: OutgoingNotification): string {
  const text = toSingleLine(reason);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function createAnswerParts({ links }: NotificationContext, { link, canAnswer }: EmailAnswerOptions): EmailPart[] {
  if (link) return [{ kind: 'button', label: 'Answer', url: link }];
  if (canAnswer) return [{ kind: 'button', label: 'Answer in Parley', url: links.web }];
  return [
    createParagraph('Only the owner and assignees can answer this question. This email is for your information.'),
    { kind: 'button', label: 'Open in Parley', url: links.web },
  ];
}

export function composeOutcomeEmail({ question, title, links, target }: NotificationContext): EmailContent {
  const sentence = formatOutcomeSentence(question);
  return {
    subject: createEmailSubject({ question, title }),
    preview: truncateCharacters(sentence, MAX_PREVIEW_LENGTH),
    heading: { ...createEmailHeading({ question, title }), from: formatOrigin(question) },
    parts: [
      { kind: 'question', text: sentence },
      { kind: 'facts', facts: listOutcomeFacts(question) },
      createParagraph('No action is needed.'),
      { kind: 'button', label: 'Open in Parley', url: links.web },
    ],
    footer: [`You received this at ${target} because you were notified of this question.`],
  };
}

/** Creates the footer. It holds the token, since some mail programs preserve only the quoted text of an email. */
export function createEmailFooter(reason: string, { link, token }: EmailAnswerOptions): string[] {
  return [
    escapeHiddenCharacters(reason),
    ...(link ? ["Anyone with this link can answer as you. Don't share it."] : []),
    ...(token ? [`[parley:${token}]`] : []),
  ];
}

export function createParagraph(text: string): EmailPart {
  return { kind: 'paragraph', text: escapeHiddenCharacters(text) };
}

/** At most 120 with `Re: `. */
const MAX_SUBJECT_LENGTH = 116;
const MAX_TITLE_LENGTH = 160;

/** Creates the link to this person's answer page. Opening it changes nothing. */
export function createEmailAnswerLink(
  secret: string,
  { links, question }: Pick<NotificationContext, 'links' | 'question'>,
  person: string,
): string {
  const { conversationId, id, expiresAt } = question;
  const deadline = expiresAt === null ? null : Date.parse(expiresAt);
  const claims = { conversationId, questionId: id, person, expiresAt: deadline, grant: null };
  const baseUrl = links.self.slice(0, links.self.lastIndexOf('/v1/conversations/'));
  return buildAnswerLinkUrl(baseUrl, createAnswerLinkToken(secret, claims));
}

export function createEmailHeading({
  question,
  title,
}: Pick<NotificationContext, 'question' | 'title'>): EmailContent['heading'] {
  return { from: `${formatOrigin(question)} asks`, title: truncateCharacters(toSingleLine(title), MAX_TITLE_LENGTH) };
}

function formatOrigin({ origin }: Question): string {
  return origin.map(toSingleLine).join(' › ');
}

/** Creates a subject of one line: the question, then agent and title. */
export function createEmailSubject({ question, title }: Pick<NotificationContext, 'question' | 'title'>): string {
  const [firstField, ...otherFields] = question.fields;
  const moreSuffix = otherFields.length > 0 ? ` (and ${otherFields.length} more)` : '';
  const prefix = `${truncateCharacters(toSingleLine(firstField?.question ?? ''), 70)}${moreSuffix} [${question.agent}`;
  const remaining = MAX_SUBJECT_LENGTH - [...prefix].length - 3;
  return truncateCharacters(
    remaining < 4 ? prefix : `${prefix}: ${truncateCharacters(toSingleLine(title), remaining)}]`,
    MAX_SUBJECT_LENGTH,
  );
}

/** Creates the parts of each field. With a link, each choice leads to the answer page and is preselected there. */
export function createAllFieldParts(question: Question, link: string | undefined): EmailPart[] {
  return question.fields.flatMap((field) => createFieldParts(question, field, link));
}

/** Creates the agent's context and, for a confirmation, exactly what a yes would run. */
function createContextParts({ context, confirms }: Question): EmailPart[] {
  const remainingContext = contextWithoutArguments(context, confirms);
  const parts: EmailPart[] = [];
  if (remainingContext) parts.push({ kind: 'markdown', text: escapeHiddenCharacters(remainingContext) });
  if (!confirms || (confirms.tool === null && confirms.arguments === null)) return parts;
  const label = confirms.tool
    ? `Approving runs ${escapeHiddenCharacters(confirms.tool)} once, with exactly these arguments:`
    : 'You are approving exactly this:';
  return [...parts, { kind: 'preformatted', label, text: formatArguments(confirms.arguments) }];
}

function createFieldParts(question: Question, field: QuestionField, link: string | undefined): EmailPart[] {
  const questionText = question.fields.length > 1 ? `${field.key.slice(1)}. ${field.question}` : field.question;
  const choices = createFieldChoices(question, field, link);
  return [
    { kind: 'question', text: escapeHiddenCharacters(questionText) },
    ...(choices.length > 0 ? [{ kind: 'choices' as const, choices, isSingleChoice: !isMultiSelectField(field) }] : []),
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

/** Formats who resolved the question, where and when. */
export function formatOutcomeSentence(question: Question): string {
  const when = question.outcome ? ` (${formatUtcTime(question.outcome.at)})` : '';
  return `${toSingleLine(describeOutcome(question))}${when}.`;
}

/** Lists each question with its answer, then the comment or reason. */
export function listOutcomeFacts({ fields, outcome, status }: Question): [name: string, value: string][] {
  const { answers = {}, comment } = outcome ?? {};
  const facts = fields.map(({ key, question }): [string, string] => {
    const value = Object.hasOwn(answers, key) ? answers[key] : undefined;
    const answer = value === undefined ? '(no answer)' : formatValueText(formatAnswerValue(value));
    return [escapeHiddenCharacters(question), answer];
  });
  if (comment) facts.push([status === 'declined' ? 'Reason' : 'Comment', formatValueText(comment)]);
  return facts;
}

function formatValueText(text: string): string {
  return truncateCharacters(escapeHiddenCharacters(text), MAX_VALUE_LENGTH);
}

/** Formats the deadline as a sentence, and what happens after it. */
export function formatEmailDeadline({ expiresAt, onTimeout }: Question, now: number): string {
  if (!expiresAt) return 'This question has no deadline.';
  const leftMs = Date.parse(expiresAt) - now;
  const remaining = leftMs > 0 ? `, about ${formatDuration(leftMs)} after this was sent` : '';
  return `Answer by ${formatUtcTime(expiresAt)}${remaining}. ${describeTimeoutPolicy({ onTimeout })}`.trim();
}

import type { ConnectionSettings } from '#cli/context';
import type { TextStyle } from '#cli/render/colors';
import { renderQuestionOutcome } from '#cli/render/conversation';
import { renderMarkdownLines } from '#cli/render/markdown';
import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, hardWrapText, wrapText } from '#cli/render/text';
import type { Viewport } from '#cli/render/viewport';
import type { Terminal } from '#cli/tty/terminal';
import type { ParleyError } from '#client/parley-error';
import type { ActionToConfirm, Question, QuestionField, QuestionOption } from '#contract/question';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { chooseControl, describeRequirement } from '#presentation/field-control';
import { formatLocalTime, formatTimeUntil } from '#presentation/format-time';
import { describeTimeoutPolicy, formatAnswerValue, formatOrigin, questionSummaryLine } from '#presentation/labels';
import { classifyUrgency } from '#presentation/question-list';
import type { PromptSubmission } from './submit';

type PromptRenderOptions = Pick<Viewport, 'width' | 'style' | 'now'>;

/** Renders who asks and why, and for a confirmation the action it would run. */
export function renderPromptIntroduction(question: Question, { width, style }: PromptRenderOptions): string[] {
  const { confirms, origin } = question;
  const verb = confirms ? 'needs your approval' : 'asks';
  const context = contextWithoutArguments(question.context, confirms);
  const action = confirms ? renderAction(confirms, width, style) : [];
  return [
    ...wrapText(`${style.bold(style.accent(sanitizeLine(formatOrigin(origin))))} ${verb}`, width),
    ...(context ? ['', ...renderMarkdownLines(context, width, style)] : []),
    ...(action.length > 0 ? ['', ...action] : []),
  ];
}

const DANGER_WARNING = 'Careful: “yes” runs this immediately.';

/** Renders the tool and its exact arguments. Nothing is hidden. */
function renderAction(
  { tool, arguments: toolArguments, destructive }: ActionToConfirm,
  width: number,
  style: TextStyle,
) {
  const color = destructive ? style.bad : style.bold;
  const bar = color('│ ');
  const title =
    tool === null ? 'With exactly these arguments:' : `Runs ${sanitizeLine(tool)} with exactly these arguments:`;
  const argumentLines = hardWrapText(sanitizeText(formatArguments(toolArguments)), width - 2).map((line) => bar + line);
  return [
    ...(destructive ? wrapText(DANGER_WARNING, width).map(color) : []),
    ...(tool === null && toolArguments === null ? [] : [...wrapText(title, width).map(color), ...argumentLines]),
  ];
}

/** Renders the question of a field, its options and its requirements. */
export function renderPromptField(field: QuestionField, { width, style }: PromptRenderOptions): string[] {
  const notes = [
    sanitizeLine(describeRequirement(field) ?? ''),
    field.default !== undefined && `Default: ${sanitizeLine(formatAnswerValue(field.default))}.`,
    !field.required && 'Optional.',
  ].filter(Boolean);
  return [
    ...wrapText(style.accent(sanitizeLine(field.header)), width),
    ...wrapText(sanitizeText(field.question), width).map(style.bold),
    ...listFieldChoices(field).flatMap((option, index) => renderOption(option, index + 1, width, style)),
    ...(notes.length > 0 ? wrapText(notes.join(' '), width).map(style.dim) : []),
  ];
}

/** Lists the numbered choices, in order. */
function listFieldChoices(field: QuestionField): QuestionOption[] {
  const control = chooseControl(field);
  const choices = 'options' in control ? control.options : [];
  return field.allowOther && choices.length > 0 ? [...choices, { label: 'Other…' }] : choices;
}

function renderOption(option: QuestionOption, number: number, width: number, style: TextStyle): string[] {
  const first = `${String(number).padStart(3)}. `;
  const description = sanitizeLine(option.description ?? '');
  const lines = wrapText(sanitizeLine(option.label), width, { first });
  if (!description) return lines;
  return [...lines, ...wrapText(description, width, { first: ' '.repeat(first.length) }).map(style.dim)];
}

/** Renders the deadline and what happens when it passes. */
export function renderPromptDeadline(question: Question, { width, style, now }: PromptRenderOptions): string[] {
  const deadline = formatPromptDeadline(question, now);
  const color = classifyUrgency(question, now) === 'calm' ? style.dim : style.warn;
  return deadline === undefined ? [] : wrapText(deadline, width).map(color);
}

/** Undefined if the question has no deadline. */
export function formatPromptDeadline(question: Question, now: number): string | undefined {
  const { expiresAt } = question;
  if (expiresAt === null) return undefined;
  const urgency = classifyUrgency(question, now);
  if (urgency === 'late') return 'The deadline has passed.';
  const absoluteTime = urgency === 'soon' ? '' : ` (${formatLocalTime(expiresAt)})`;
  return `Due ${formatTimeUntil(expiresAt, now)}${absoluteTime}. ${sanitizeLine(describeTimeoutPolicy(question))}`.trim();
}

/** Formats answers as `Database PostgreSQL · Region eu-west-1`. */
export function formatAnswersLine(
  { fields }: Pick<Question, 'fields'>,
  answers: NonNullable<Question['outcome']>['answers'] = {},
): string {
  return fields
    .filter(({ key }) => answers[key] !== undefined)
    .map(({ key, header }) => `${sanitizeLine(header)} ${sanitizeLine(formatAnswerValue(answers[key]))}`)
    .join(' · ');
}

/** Renders what was sent. */
export function renderSubmission(
  question: Question,
  submission: PromptSubmission,
  { style, width }: Terminal,
  note = '',
): string[] {
  const summary = style.dim(clipText(sanitizeLine(questionSummaryLine(question)), width()));
  const sentence = [describeSubmission(question, submission), note].filter(Boolean).join(' · ');
  return [summary, ...wrapText(sentence, width(), { first: `${style.good('✓')} ` })];
}

function describeSubmission(question: Question, submission: PromptSubmission): string {
  if (submission.kind === 'decline')
    return submission.reason ? `Question skipped: ${sanitizeLine(submission.reason)}` : 'Question skipped.';
  const answers = formatAnswersLine(question, submission.answers) || 'nothing selected';
  return `Answered: ${answers}${submission.comment ? ` · Comment ${sanitizeLine(submission.comment)}` : ''}`;
}

/** Renders that the question was resolved elsewhere, and what was not sent. */
export function renderResolvedElsewhere(
  question: Question,
  enteredValues: readonly string[],
  terminal: Terminal,
): string[] {
  const [first = '', ...more] = renderQuestionOutcome(question, terminal.width(), terminal.style);
  return [`${terminal.style.warn('●')} ${first.trimStart()}`, ...more, ...renderUnsentInput(enteredValues, terminal)];
}

/** Renders what was entered but not sent, so that it is not lost. */
export function renderUnsentInput(enteredValues: readonly string[], { style, width }: Terminal): string[] {
  return enteredValues.length === 0
    ? wrapText(style.dim('Nothing was sent from here.'), width(), { first: '  ' })
    : [
        ...wrapText('Your unsent draft:', width(), { first: '  ' }),
        ...enteredValues.flatMap((line) => wrapText(style.dim(sanitizeLine(line)), width(), { first: '    ' })),
      ];
}

export function renderStillWaiting(
  question: Question,
  isDeliveryUncertain: boolean,
  { style, width }: Terminal,
): string[] {
  const sentence = isDeliveryUncertain ? 'Your answer may have arrived. Check with:' : 'Still open. Answer it with:';
  const command = isDeliveryUncertain ? 'show' : 'answer';
  return wrapText(style.dim(`${sentence} parley ${command} ${sanitizeLine(question.conversationId)}`), width());
}

/** Formats the error line of a form, which offers a retry. */
export function formatSubmitError(error: ParleyError, { url }: ConnectionSettings): string {
  const reason = error.code === 'network' ? `Can't reach Parley at ${url}.` : error.message;
  return `${reason} Your draft is safe; press Enter to try again.`;
}

import type { ConnectionSettings } from '#cli/context';
import type { TextStyle } from '#cli/render/colors';
import { renderMarkdownLines } from '#cli/render/markdown';
import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, hardWrapText, wrapText } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import type { ParleyError } from '#client/parley-error';
import type { ActionToConfirm, Question, QuestionField, QuestionOption } from '#contract/question';
import { describeSchema } from '#core/schema/validate-value';
import { contextWithoutArguments, formatArguments, looksDestructive } from '#presentation/confirmation';
import { chooseControl } from '#presentation/field-control';
import { BOOLEAN_LABELS } from '#presentation/form-state';
import { formatLocalTime, formatTimeUntil } from '#presentation/format-time';
import {
  describeOutcome,
  describeTimeoutPolicy,
  formatAnswerValue,
  formatOrigin,
  questionSummaryLine,
} from '#presentation/labels';
import { classifyUrgency } from '#presentation/question-list';
import type { PromptSubmission } from './submit';

export interface PromptRenderOptions {
  width: number;
  style: TextStyle;
  now: number;
}

/** Who asks, why, and for a confirmation what a "yes" lets happen. */
export function renderPromptIntroduction(question: Question, { width, style }: PromptRenderOptions): string[] {
  const { confirms, origin } = question;
  const asks = confirms ? 'asks you to confirm' : 'asks';
  const context = contextWithoutArguments(question.context, confirms);
  const action = confirms ? renderAction(confirms, looksDestructive(question), width, style) : [];
  return [
    ...wrapText(`${style.bold(style.accent(sanitizeLine(formatOrigin(origin))))} ${asks}`, width),
    ...(context ? ['', ...renderMarkdownLines(context, width, style)] : []),
    ...(action.length > 0 ? ['', ...action] : []),
  ];
}

const DANGER_WARNING = 'Careful: on a “yes” this happens at once.';

/** The tool and exactly its arguments, nothing hidden in them. */
function renderAction({ tool, arguments: given }: ActionToConfirm, isGrave: boolean, width: number, style: TextStyle) {
  const paint = isGrave ? style.bad : style.bold;
  const bar = paint('│ ');
  const what =
    tool === null ? 'With exactly these arguments:' : `Runs ${sanitizeLine(tool)} with exactly these arguments:`;
  const shown = hardWrapText(sanitizeText(formatArguments(given)), width - 2).map((line) => bar + line);
  return [
    ...(isGrave ? wrapText(DANGER_WARNING, width).map(paint) : []),
    ...(tool === null && given === null ? [] : [...wrapText(what, width).map(paint), ...shown]),
  ];
}

/** What is asked, what there is to choose from, and what it has to be. */
export function renderPromptField(field: QuestionField, { width, style }: PromptRenderOptions): string[] {
  const about = [
    formatRequirement(field),
    field.default !== undefined && `Default: ${sanitizeLine(formatAnswerValue(field.default))}.`,
    !field.required && 'May be left empty.',
  ].filter(Boolean);
  return [
    ...wrapText(style.accent(sanitizeLine(field.header)), width),
    ...wrapText(sanitizeText(field.question), width).map(style.bold),
    ...listFieldChoices(field).flatMap((option, index) => renderOption(option, index + 1, width, style)),
    ...(about.length > 0 ? wrapText(about.join(' '), width).map(style.dim) : []),
  ];
}

/** In the order of their numbers. */
export function listFieldChoices(field: QuestionField): QuestionOption[] {
  const control = chooseControl(field);
  const offered =
    control.kind === 'flag'
      ? [{ label: BOOLEAN_LABELS.yes }, { label: BOOLEAN_LABELS.no }]
      : 'options' in control
        ? control.options
        : [];
  return field.allowOther && offered.length > 0 ? [...offered, { label: 'Other…' }] : offered;
}

function renderOption(
  { label, description }: QuestionOption,
  number: number,
  width: number,
  style: TextStyle,
): string[] {
  const first = `${String(number).padStart(3)}. `;
  return [
    ...wrapText(sanitizeLine(label), width, { first }),
    ...(description
      ? wrapText(sanitizeLine(description), width, { first: ' '.repeat(first.length) }).map(style.dim)
      : []),
  ];
}

function formatRequirement({ schema, multiSelect }: QuestionField): string | undefined {
  if (multiSelect) return 'Choose any.';
  if (!schema || schema.type === 'boolean') return undefined;
  const words = sanitizeLine(describeSchema(schema));
  if (words === 'text' || words === 'choose one') return undefined;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** By when, and what happens then. */
export function renderPromptDeadline(question: Question, { width, style, now }: PromptRenderOptions): string[] {
  const due = formatPromptDeadline(question, now);
  const paint = classifyUrgency(question, now) === 'calm' ? style.dim : style.warn;
  return due === undefined ? [] : wrapText(due, width).map(paint);
}

/** Nothing where it waits for ever. */
export function formatPromptDeadline(question: Question, now: number): string | undefined {
  const { expiresAt } = question;
  if (expiresAt === null) return undefined;
  const urgency = classifyUrgency(question, now);
  if (urgency === 'late') return 'The deadline has passed.';
  const when = urgency === 'soon' ? '' : ` (${formatLocalTime(expiresAt)})`;
  return `Due ${formatTimeUntil(expiresAt, now)}${when}. ${describeTimeoutPolicy(question)}`.trim();
}

/** How it ended: who, by what way, and with which answers. */
export function renderPromptOutcome(question: Question, { width, style }: PromptRenderOptions): string[] {
  const { outcome, status } = question;
  const said = formatAnswersLine(question, outcome?.answers ?? {});
  const note = outcome?.comment && `${status === 'declined' ? 'Reason' : 'Comment'}: ${sanitizeLine(outcome.comment)}`;
  return [
    ...wrapText(`${sanitizeLine(describeOutcome(question))}${said ? `: ${said}` : '.'}`, width),
    ...(note ? wrapText(note, width).map(style.dim) : []),
  ];
}

/** `Database PostgreSQL · Region eu-west-1`. */
export function formatAnswersLine(
  { fields }: Pick<Question, 'fields'>,
  answers: NonNullable<Question['outcome']>['answers'] = {},
): string {
  return fields
    .filter(({ key }) => answers[key] !== undefined)
    .map(({ key, header }) => `${sanitizeLine(header)} ${sanitizeLine(formatAnswerValue(answers[key]))}`)
    .join(' · ');
}

/** What came of a question, as lines for whoever was asked. */
export function renderAcceptedResult(question: Question, message: PromptSubmission, terminal: Terminal): string[] {
  return renderSubmission(question, message, terminal, '');
}

export function renderQueuedResult(question: Question, message: PromptSubmission, terminal: Terminal): string[] {
  const then = 'It is kept, and acted on as soon as a worker is up.';
  return renderSubmission(question, message, terminal, then);
}

function renderSubmission(
  question: Question,
  message: PromptSubmission,
  { style, width }: Terminal,
  then: string,
): string[] {
  const about = style.dim(clipText(sanitizeLine(questionSummaryLine(question)), width()));
  const said = [describeSubmission(question, message), then].filter(Boolean).join(' · ');
  return [about, ...wrapText(said, width(), { first: `${style.good('✓')} ` })];
}

function describeSubmission(question: Question, message: PromptSubmission): string {
  if (message.kind === 'decline') return message.reason ? `Declined: ${sanitizeLine(message.reason)}` : 'Declined.';
  const said = formatAnswersLine(question, message.answers) || 'nothing chosen';
  return `Answered: ${said}${message.comment ? ` · Comment ${sanitizeLine(message.comment)}` : ''}`;
}

/** Somebody else was quicker: who, where and how, and what was not sent. */
export function renderResolvedElsewhere(question: Question, entered: readonly string[], terminal: Terminal): string[] {
  const { style } = terminal;
  const width = terminal.width();
  const [first = describeOutcome(question), ...more] = renderPromptOutcome(question, {
    width: width - 2,
    style,
    now: 0,
  });
  const unsent = renderUnsentInput(entered, terminal);
  return [`${style.warn('●')} ${first}`, ...more.map((line) => `  ${line}`), ...unsent];
}

/** What somebody wrote is not lost, though it was not sent. */
export function renderUnsentInput(entered: readonly string[], { style, width }: Terminal): string[] {
  return entered.length === 0
    ? wrapText(style.dim('Nothing was sent from here.'), width(), { first: '  ' })
    : [
        ...wrapText('What you had entered was not sent:', width(), { first: '  ' }),
        ...entered.flatMap((line) => wrapText(style.dim(sanitizeLine(line)), width(), { first: '    ' })),
      ];
}

export function renderStillWaiting(question: Question, isUnsure: boolean, { style, width }: Terminal): string[] {
  const said = isUnsure
    ? 'What you sent may have arrived all the same. Look with'
    : 'It waits for an answer. Come back to it with';
  const next = isUnsure ? 'show' : 'answer';
  return wrapText(style.dim(`${said} parley ${next} ${sanitizeLine(question.conversationId)}`), width());
}

/** In a form: what is wrong, and that it can be tried again. */
export function formatSubmitError(error: ParleyError, { url }: ConnectionSettings): string {
  const what = error.code === 'network' ? `Parley cannot be reached at ${url}.` : error.message;
  return `${what} What you entered is kept: Enter tries again.`;
}

import type { Conversation, Todo } from '#contract/conversation';
import type { Question, QuestionField } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatTimeAgo } from '#presentation/format-time';
import {
  describeActor,
  describeNotice,
  describeOutcome,
  formatAnswerValue,
  formatOrigin,
  STATUS_LABELS,
} from '#presentation/labels';
import { statusColor, type TextStyle } from './colors';
import { renderMarkdownLines } from './markdown';
import { sanitizeLine, sanitizeText } from './sanitize';
import { hardWrapText, wrapText } from './text';
import { renderToolLine, storedResultOf } from './tool-line';

/** Renders a timeline, with a blank line between entries of different kinds. */
export function renderTimeline(
  entries: readonly TimelineEntry[],
  width: number,
  style: TextStyle,
  resultUrl?: (handle: string) => string,
): string[] {
  const lines: string[] = [];
  let previousKind: TimelineEntry['kind'] | undefined;
  for (const entry of entries) {
    const entryLines = renderTimelineEntry(entry, width, style);
    if (entryLines.length === 0) continue;
    const storedResult = resultUrl && entry.kind === 'tool' ? storedResultOf(entry) : undefined;
    if (storedResult)
      entryLines.push(style.dim(`  Full result: ${sanitizeLine(resultUrl?.(storedResult.handle) ?? '')}`));
    const isGrouped = entry.kind === previousKind && (previousKind === 'tool' || previousKind === 'notice');
    if (previousKind && !isGrouped) lines.push('');
    lines.push(...entryLines);
    previousKind = entry.kind;
  }
  return lines;
}

/** Renders one timeline entry. */
export function renderTimelineEntry(entry: TimelineEntry, width: number, style: TextStyle): string[] {
  switch (entry.kind) {
    case 'message':
      if (entry.role === 'assistant') return renderMarkdownLines(entry.text, width, style);
      return wrapText(sanitizeText(entry.text).trimEnd(), width, { first: `${style.accent('›')} ` });
    case 'tool':
      return [renderToolLine(entry, width, style)];
    case 'todos':
      return renderPlan(entry.todos, width, style);
    case 'question': {
      const { question } = entry;
      return [...renderQuestion(question, width, style), ...renderQuestionOutcome(question, width, style)];
    }
    case 'notice':
      return wrapText(style.dim(sanitizeLine(describeNotice(entry))), width);
    case 'status':
      // Other entries show that a conversation runs or waits.
      if (entry.status === 'running' || entry.status === 'waiting_for_input') return [];
      return [statusColor(entry.status, style)(`${STATUS_LABELS[entry.status]}${sanitizeLine(describeActor(entry))}`)];
  }
}

/** Renders the title, status and details of a conversation. */
export function renderConversationHeader(conversation: Conversation, width: number, style: TextStyle): string[] {
  const { id, title, agent, status, parent, createdAt } = conversation;
  const parentNote = parent ? ` for ${parent.agent} (${parent.conversationId})` : '';
  const details = [`${agent}${parentNote}`, id, `started ${formatTimeAgo(createdAt, Date.now())}`].map(sanitizeLine);
  return [
    ...wrapText(style.bold(sanitizeLine(title) || sanitizeLine(id)), width),
    ...wrapText(statusColor(status, style)(STATUS_LABELS[status]) + style.dim(` · ${details.join(' · ')}`), width),
  ];
}

/** Prefix of errors for workflows that were ended directly in Temporal and cannot be resumed. */
const TEMPORAL_ERROR_PREFIX = 'workflow_';

/** Formats how to continue a conversation that failed or was cancelled. */
export function formatResumeHint({ id, agent, parent, error }: Conversation): string {
  const hint = parent
    ? `This sub-agent has finished. Message ${parent.agent} instead: parley say ${parent.conversationId} "…"`
    : error?.code.startsWith(TEMPORAL_ERROR_PREFIX)
      ? `It can't be resumed. Start a new one: parley start ${agent} "…"`
      : `Send a message to resume it: parley say ${id} "…"`;
  return sanitizeLine(hint);
}

/** Renders a question for reading, without a prompt: context, text and options. */
export function renderQuestion(question: Question, width: number, style: TextStyle): string[] {
  const { origin, context, confirms, fields } = question;
  const reason = contextWithoutArguments(context, confirms);
  return [
    ...(origin.length > 1 ? wrapText(style.dim(`${sanitizeLine(formatOrigin(origin))} asks`), width) : []),
    ...(reason ? [...renderMarkdownLines(reason, width, style), ''] : []),
    ...fields.flatMap((field) => renderQuestionField(field, width, style)),
    ...(confirms && confirms.arguments !== null
      ? hardWrapText(sanitizeText(formatArguments(confirms.arguments)), width - 4).map((line) => `    ${line}`)
      : []),
  ];
}

function renderQuestionField(
  { question, options = [], allowOther }: QuestionField,
  width: number,
  style: TextStyle,
): string[] {
  const choices = [
    ...options.map(({ label }) => sanitizeLine(label)),
    ...(allowOther && options.length > 0 ? ['Other'] : []),
  ];
  return [
    ...wrapText(style.bold(sanitizeText(question).trim()), width, { first: `${style.warn('?')} ` }),
    ...(choices.length > 0 ? wrapText(style.dim(choices.join(' · ')), width, { first: '  ' }) : []),
  ];
}

/** Renders how a question was resolved, by whom, and with which answers. */
export function renderQuestionOutcome(question: Question, width: number, style: TextStyle): string[] {
  const { status, outcome, fields } = question;
  const color = status === 'answered' ? style.good : style.warn;
  const answers = fields.flatMap(({ key, header }) => {
    const value = outcome?.answers && Object.hasOwn(outcome.answers, key) ? outcome.answers[key] : undefined;
    const name = fields.length > 1 ? `${sanitizeLine(header) || sanitizeLine(key)}: ` : '';
    return value === undefined ? [] : [`${name}${sanitizeLine(formatAnswerValue(value))}`];
  });
  const outcomeText = color(sanitizeLine(describeOutcome(question)));
  const firstLine = answers.length === 1 ? `${outcomeText}: ${answers[0]}` : outcomeText;
  const rest = [
    ...(answers.length === 1 ? [] : answers),
    ...(outcome?.comment ? [`“${sanitizeLine(outcome.comment)}”`] : []),
  ];
  return [firstLine, ...rest].flatMap((line) => wrapText(line, width, { first: '  ' }));
}

/** Renders the current plan. */
export function renderPlan(todos: readonly Todo[], width: number, style: TextStyle): string[] {
  if (todos.length === 0) return [];
  return [style.bold('Plan'), ...todos.flatMap((todo) => renderTodo(todo, width, style))];
}

/** Renders only the changed items if the plan has the same items as before. */
export function renderPlanChanges(
  previous: readonly Todo[],
  current: readonly Todo[],
  width: number,
  style: TextStyle,
): string[] {
  const isSame =
    previous.length === current.length && current.every(({ content }, index) => content === previous[index]?.content);
  if (!isSame) return renderPlan(current, width, style);
  return current
    .filter(({ status }, index) => status !== previous[index]?.status)
    .flatMap((todo) => renderTodo(todo, width, style));
}

export function renderTodo({ content, status }: Todo, width: number, style: TextStyle, suffix = ''): string[] {
  const text = sanitizeLine(content);
  const [mark, shownContent] = {
    completed: [style.good('✓'), style.dim(text)],
    in_progress: [style.accent('▸'), text],
    pending: [style.dim('○'), text],
  }[status];
  return wrapText(`${shownContent}${suffix}`, width, { first: `  ${mark} ` });
}

export function formatPlanProgress(todos: readonly Todo[]): string {
  return `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length} done`;
}

import type { Conversation, ConversationStatus, Todo } from '#contract/conversation';
import type { Question, QuestionField } from '#contract/question';
import type { TimelineEntry } from '#contract/timeline';
import { contextWithoutArguments, formatArguments } from '#presentation/confirmation';
import { formatTimeAgo } from '#presentation/format-time';
import {
  describeDestination,
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

/** What happened, in order, with room between what does not belong together. */
export function renderTimeline(
  entries: readonly TimelineEntry[],
  width: number,
  style: TextStyle,
  addressOf?: (handle: string) => string,
): string[] {
  const lines: string[] = [];
  let before: TimelineEntry['kind'] | undefined;
  for (const entry of entries) {
    const own = renderTimelineEntry(entry, width, style);
    if (own.length === 0) continue;
    const kept = addressOf && entry.kind === 'tool' ? storedResultOf(entry) : undefined;
    if (kept) own.push(style.dim(`  All of it: ${sanitizeLine(addressOf?.(kept.handle) ?? '')}`));
    const isTogether = entry.kind === before && (before === 'tool' || before === 'notice');
    if (before && !isTogether) lines.push('');
    lines.push(...own);
    before = entry.kind;
  }
  return lines;
}

/** One thing that happened in a conversation, for a person to read. */
export function renderTimelineEntry(entry: TimelineEntry, width: number, style: TextStyle): string[] {
  switch (entry.kind) {
    case 'message':
      return entry.role === 'user'
        ? renderUserMessage(entry.text, width, style)
        : renderMarkdownLines(entry.text, width, style);
    case 'tool':
      return [renderToolLine(entry, width, style)];
    case 'todos':
      return renderPlan(entry.todos, width, style);
    case 'question': {
      const { question } = entry;
      return [...renderQuestion(question, width, style), ...renderQuestionOutcome(question, width, style)];
    }
    case 'notice':
      return wrapText(style.dim(noticeText(entry.channel, entry.what)), width);
    case 'status':
      return isFinalStatus(entry.status) ? [statusColor(entry.status, style)(STATUS_LABELS[entry.status])] : [];
  }
}

/** What a person wrote is shown as it was typed. */
export function renderUserMessage(text: string, width: number, style: TextStyle): string[] {
  return wrapText(sanitizeText(text).trimEnd(), width, { first: `${style.accent('›')} ` });
}

/** That it runs or waits is to be seen from what it does. */
export function isFinalStatus(status: ConversationStatus): boolean {
  return status !== 'running' && status !== 'waiting_for_input';
}

const QUESTION_PREFIX = /^question-\d+: /;

function noticeText(channel: string, what: string): string {
  return sanitizeLine(
    channel === 'delegate' ? what : `${describeDestination(channel)}: ${what.replace(QUESTION_PREFIX, '')}`,
  );
}

/** Which conversation this is, and how it stands. */
export function renderConversationHeader(conversation: Conversation, width: number, style: TextStyle): string[] {
  const { id, title, agent, status, parent, createdAt } = conversation;
  const forWhom = parent ? ` for ${parent.agent} (${parent.conversationId})` : '';
  const facts = [`${agent}${forWhom}`, id, `started ${formatTimeAgo(createdAt, Date.now())}`].map(sanitizeLine);
  return [
    ...wrapText(style.bold(sanitizeLine(title) || sanitizeLine(id)), width),
    ...wrapText(statusColor(status, style)(STATUS_LABELS[status]) + style.dim(` · ${facts.join(' · ')}`), width),
  ];
}

/** Temporal's word on how a workflow was ended from outside: nothing is left to take up. */
const TEMPORAL_ERROR_PREFIX = 'workflow_';

/** What one can do about a conversation that failed or was cancelled. */
export function formatResumeHint({
  id,
  agent,
  parent,
  error,
}: Pick<Conversation, 'id' | 'agent' | 'parent' | 'error'>): string {
  if (parent)
    return sanitizeLine(`It worked for ${parent.agent}. Write there instead: parley say ${parent.conversationId} "…"`);
  if (error?.code.startsWith(TEMPORAL_ERROR_PREFIX))
    return sanitizeLine(`It left nothing to go on from. Start a new one: parley start ${agent} "…"`);
  return sanitizeLine(`A further message takes it up again: parley say ${id} "…"`);
}

/** A question as it is read, not as it is put: why, what, and which answers there are. */
export function renderQuestion(question: Question, width: number, style: TextStyle): string[] {
  const { origin, context, confirms, fields } = question;
  const why = contextWithoutArguments(context, confirms);
  return [
    ...(origin.length > 1 ? wrapText(style.dim(`${sanitizeLine(formatOrigin(origin))} asks`), width) : []),
    ...(why ? [...renderMarkdownLines(why, width, style), ''] : []),
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

/** How it was settled and by whom, with what was answered. */
export function renderQuestionOutcome(question: Question, width: number, style: TextStyle): string[] {
  const { status, outcome, fields } = question;
  const paint = status === 'answered' ? style.good : style.warn;
  const answers = fields.flatMap(({ key, header }) => {
    const value = outcome?.answers && Object.hasOwn(outcome.answers, key) ? outcome.answers[key] : undefined;
    const name = fields.length > 1 ? `${sanitizeLine(header) || sanitizeLine(key)}: ` : '';
    return value === undefined ? [] : [`${name}${sanitizeLine(formatAnswerValue(value))}`];
  });
  const said = paint(sanitizeLine(describeOutcome(question)));
  const first = answers.length === 1 ? `${said}: ${answers[0]}` : said;
  const rest = [
    ...(answers.length === 1 ? [] : answers),
    ...(outcome?.comment ? [`“${sanitizeLine(outcome.comment)}”`] : []),
  ];
  return [first, ...rest].flatMap((line) => wrapText(line, width, { first: '  ' }));
}

/** The plan as it stands. */
export function renderPlan(todos: readonly Todo[], width: number, style: TextStyle): string[] {
  if (todos.length === 0) return [];
  return [style.bold('Plan'), ...todos.flatMap((todo) => renderTodo(todo, width, style))];
}

/** Only what has changed, where it is still the same plan. */
export function renderPlanChanges(
  before: readonly Todo[],
  now: readonly Todo[],
  width: number,
  style: TextStyle,
): string[] {
  const isSame = before.length === now.length && now.every(({ content }, at) => content === before[at]?.content);
  if (!isSame) return renderPlan(now, width, style);
  return now
    .filter(({ status }, at) => status !== before[at]?.status)
    .flatMap((todo) => renderTodo(todo, width, style));
}

export function renderTodo({ content, status }: Todo, width: number, style: TextStyle, beside = ''): string[] {
  const text = sanitizeLine(content);
  const [mark, said] = {
    completed: [style.good('✓'), style.dim(text)],
    in_progress: [style.accent('▸'), text],
    pending: [style.dim('○'), text],
  }[status];
  return wrapText(`${said}${beside}`, width, { first: `  ${mark} ` });
}

export function formatPlanProgress(todos: readonly Todo[]): string {
  return `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length} done`;
}

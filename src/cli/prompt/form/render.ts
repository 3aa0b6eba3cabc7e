import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, displayWidth, padToWidth, wrapText } from '#cli/render/text';
import { looksDestructive } from '#presentation/confirmation';
import { chooseControl } from '#presentation/field-control';
import { formatAnswerValue } from '#presentation/labels';
import { type ButtonStep, type FieldStep, isDateTimeControl, localTimeZone, readStep } from './field-step';
import { listKeyBindings, renderFooter, renderKeyHints, truncateLines } from './footer';
import { currentStep, hasReview, type PromptForm } from './form-state';
import { reviewSendRow } from './keys';
import { renderChoices } from './render-list';
import { renderEditorLines } from './text-editor';
import { BLANK_MARK, CURRENT_MARK, type FormViewport, type LineBlock, type RenderArea, windowLines } from './viewport';

/** From that many lines on there is room for blank ones, and for what can be done without. */
const ROOMY_LINES = 14;
/** From that many on, what stands above is left to be seen. */
const TALL_LINES = 20;
const LINES_LEFT_ABOVE = 3;

/** The form as lines, none wider than the screen and never more than it has, with one to spare for the cursor. */
export function renderForm(form: PromptForm, { width: columns, height, style, now }: FormViewport): string[] {
  // A line that is full to the edge is broken by some terminals and not by others.
  const width = columns - 1;
  const total = height - 1 - (height >= TALL_LINES ? LINES_LEFT_ABOVE : 0);
  const isRoomy = total >= ROOMY_LINES;
  const blank = isRoomy ? [''] : [];
  const foot = renderFooter(form, { width, style, isRoomy, now });
  const help = form.isReady ? [style.dim(form.isSending ? 'Sending …' : renderKeyHints(form, width))] : [''];
  const most = Math.max(1, Math.floor((total - foot.length - help.length) / 2));
  const head = renderFormHeading(form, { width, room: most, style });
  const used = head.length + foot.length + help.length + blank.length * (foot.length > 0 ? 3 : 2);
  const body = renderFormBody(form, { width, room: Math.max(1, total - used), style });
  const note = foot.length > 0 ? [...blank, ...foot] : [];
  return [...head, ...blank, ...body, ...note, ...blank, ...help].slice(0, total);
}

function renderFormHeading(form: PromptForm, { width, room, style }: RenderArea): string[] {
  const { over } = form;
  if (over?.kind === 'keys') return [style.bold('Keys')];
  if (over?.kind === 'comment') return [style.bold(clipText('A comment, for the agent to read', width))];
  if (over?.kind === 'decline') return [style.bold(clipText('Decline. Why? (You need not say.)', width))];
  const progress = hasReview(form) ? [renderProgress(form, width, style)] : [];
  const step = currentStep(form);
  if (!step) return [...progress, style.bold(clipText('All as you want it?', width))].slice(0, room);
  const header = hasReview(form) || room < 4 ? [] : [style.accent(clipText(sanitizeLine(step.field.header), width))];
  const left = Math.max(1, room - progress.length - header.length);
  const asked = truncateLines(wrapText(sanitizeText(step.field.question), width), left, width).map(style.bold);
  return [...progress, ...header, ...asked].slice(0, Math.max(room, progress.length + 1));
}

/** Where one is: `Database · ▸ Region · Name`, or `2/3 Region`. */
function renderProgress({ steps, at }: PromptForm, width: number, style: TextStyle): string {
  const names = [...steps.map(({ field }) => sanitizeLine(field.header)), 'Review'];
  const marked = names.map((name, index) => (index === at ? `▸ ${name}` : name));
  if (displayWidth(marked.join(' · ')) > width)
    return style.accent(clipText(`${at + 1}/${names.length} ${names[at]}`, width));
  return marked.map((name, index) => (index === at ? style.accent(name) : style.dim(name))).join(style.dim(' · '));
}

function renderFormBody(form: PromptForm, area: RenderArea): string[] {
  const { over } = form;
  const { width, room, style } = area;
  if (over?.kind === 'keys') return renderKeyBindings(form, over.from, area);
  if (over) {
    const editor = over.kind === 'comment' ? form.comment : form.reason;
    return markFirstLine(renderEditorLines(editor, width - CURRENT_MARK.length, room, style), style);
  }
  const step = currentStep(form);
  return step ? renderStep(form, step, area) : renderReview(form, area);
}

function renderStep(form: PromptForm, step: FieldStep, area: RenderArea): string[] {
  const { width, room, style } = area;
  switch (step.kind) {
    case 'list':
      return renderChoices(step, area);
    case 'flag':
      return renderButtons(step, area, looksDestructive(form.question));
    case 'writing':
      return markFirstLine(renderEditorLines(step.editor, width - CURRENT_MARK.length, room, style), style);
  }
}

function markFirstLine(lines: string[], style: TextStyle): string[] {
  return lines.map(
    (line, index) => (index === 0 ? style.accent(CURRENT_MARK) : ' '.repeat(CURRENT_MARK.length)) + line,
  );
}

function renderKeyBindings(form: PromptForm, from: number, { width, room, style }: RenderArea): string[] {
  const keys = listKeyBindings(form);
  const column = Math.max(...keys.map(([key]) => displayWidth(key))) + 2;
  const lines = keys.flatMap(([key, does]) =>
    wrapText(does, width, { first: style.accent(padToWidth(key, column)), rest: ' '.repeat(column) }),
  );
  const start = Math.max(0, Math.min(from, lines.length - room));
  return lines.slice(start, start + room);
}

const BUTTON_GAP = '   ';

/** Side by side, or below each other where that is too wide. */
function renderButtons(
  { choices, at, field }: ButtonStep,
  { width, room, style }: RenderArea,
  isGrave: boolean,
): string[] {
  const fallback = typeof field.default === 'boolean' ? (field.default ? 0 : 1) : choices.indexOf(`${field.default}`);
  const plain = choices.map((choice, index) => {
    const mark = index === fallback ? ' (default)' : '';
    return `${index === at ? CURRENT_MARK : BLANK_MARK}${sanitizeLine(choice)}${mark}`;
  });
  const paint = (text: string, index: number) => {
    if (index !== at) return text;
    return isGrave && index === 0 ? style.bad(text) : style.accent(text);
  };
  const line = plain.join(BUTTON_GAP);
  if (displayWidth(line) <= width) return [plain.map(paint).join(BUTTON_GAP)];
  return plain.map((text, index) => paint(clipText(text, width), index)).slice(0, Math.max(1, room));
}

const MAX_VALUE_LINES = 3;
const NARROW_VALUE = 12;
const INDENT_BELOW = 4;

/** Every answer, the comment, and sending it all. */
function renderReview(form: PromptForm, { width, room, style }: RenderArea): string[] {
  const rows: ReviewRow[] = [
    ...form.steps.map((step) => ({ name: sanitizeLine(step.field.header), value: formatReviewValue(step) })),
    { name: 'Comment', value: sanitizeLine(form.comment.text) || 'none' },
  ];
  const column = Math.max(...rows.map(({ name }) => displayWidth(name))) + 2;
  const blocks = rows.map((row, index) => renderReviewRow(row, index === form.row, column, { width, room, style }));
  const send = form.row === reviewSendRow(form) ? style.accent(`${CURRENT_MARK}Send`) : `${BLANK_MARK}Send`;
  return windowLines([...blocks, [send]], form.row, room, width, style);
}

interface ReviewRow {
  name: string;
  value: string;
}

/** Side by side, or the value below where there is too little room for it. */
function renderReviewRow(
  { name, value }: ReviewRow,
  isHere: boolean,
  column: number,
  { width, style }: RenderArea,
): LineBlock {
  const before = isHere ? CURRENT_MARK : BLANK_MARK;
  const paint = isHere ? style.accent : (text: string) => text;
  const isNarrow = width - before.length - column < NARROW_VALUE;
  const indent = ' '.repeat(isNarrow ? INDENT_BELOW : before.length + column);
  const room = width - indent.length;
  const values = isHere ? wrapText(value, room).slice(0, MAX_VALUE_LINES) : [clipText(value, room)];
  if (isNarrow) return [paint(before + clipText(name, width - before.length)), ...values.map((line) => indent + line)];
  return values.map((line, index) => (index === 0 ? paint(before + padToWidth(name, column)) : indent) + line);
}

function formatReviewValue(step: PromptForm['steps'][number]): string {
  const taken = readStep(step);
  if (!taken.ok) return sanitizeLine(taken.fault);
  // In the time that it was written in.
  if (step.kind === 'writing' && isDateTimeControl(chooseControl(step.field)))
    return taken.value === undefined ? 'empty' : `${sanitizeLine(step.editor.text)} (${localTimeZone()})`;
  return taken.value === undefined ? 'empty' : sanitizeLine(formatAnswerValue(taken.value)) || 'empty';
}

import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, displayWidth, padToWidth, wrapText } from '#cli/render/text';
import {
  BLANK_MARK,
  CURRENT_MARK,
  type LineBlock,
  type RenderArea,
  type Viewport,
  windowLines,
} from '#cli/render/viewport';
import { formatAnswerValue } from '#presentation/labels';
import { isDateTimeField, localTimeZone, readStep, type TextStep } from './field-step';
import { listFormKeys, renderFooter, renderKeyHints, truncateLines } from './footer';
import { currentStep, hasReview, type PromptForm } from './form-state';
import { reviewSendRow } from './keys';
import { renderChoices } from './render-list';
import { renderEditorLines } from './text-editor';

/** Minimum height for blank lines and optional parts. */
const ROOMY_LINES = 14;
/** Minimum height to keep some lines above the form visible. */
const TALL_LINES = 20;
const LINES_LEFT_ABOVE = 3;

/** Renders the form as lines that fit the screen, with one left for the cursor. */
export function renderForm(form: PromptForm, { width: columns, height, style, now }: Viewport): string[] {
  // Some terminals wrap a line that fills the whole width.
  const width = columns - 1;
  const total = height - 1 - (height >= TALL_LINES ? LINES_LEFT_ABOVE : 0);
  const isRoomy = total >= ROOMY_LINES;
  const blank = isRoomy ? [''] : [];
  const footer = renderFooter(form, { width, style, isRoomy, now });
  const keyHints = form.isReady ? [style.dim(form.isSending ? 'Sending…' : renderKeyHints(form, width))] : [''];
  const maxHeaderHeight = Math.max(1, Math.floor((total - footer.length - keyHints.length) / 2));
  const header = renderFormHeading(form, { width, height: maxHeaderHeight, style });
  const usedHeight = header.length + footer.length + keyHints.length + blank.length * (footer.length > 0 ? 3 : 2);
  const body = renderFormBody(form, { width, height: Math.max(1, total - usedHeight), style });
  const footerBlock = footer.length > 0 ? [...blank, ...footer] : [];
  return [...header, ...blank, ...body, ...footerBlock, ...blank, ...keyHints].slice(0, total);
}

function renderFormHeading(form: PromptForm, { width, height, style }: RenderArea): string[] {
  const { overlay } = form;
  if (overlay?.kind === 'help') return [style.bold('Keyboard shortcuts')];
  if (overlay?.kind === 'comment') return [style.bold(clipText('Comment for the agent', width))];
  if (overlay?.kind === 'reason') return [style.bold(clipText('Skip this question. Reason (optional):', width))];
  const progress = hasReview(form) ? [renderProgress(form, width, style)] : [];
  const step = currentStep(form);
  if (!step) return [...progress, style.bold(clipText('Ready to send?', width))].slice(0, height);
  const header = hasReview(form) || height < 4 ? [] : [style.accent(clipText(sanitizeLine(step.field.header), width))];
  const questionHeight = Math.max(1, height - progress.length - header.length);
  const questionLines = truncateLines(wrapText(sanitizeText(step.field.question), width), questionHeight, width).map(
    style.bold,
  );
  return [...progress, ...header, ...questionLines].slice(0, Math.max(height, progress.length + 1));
}

/** Renders the progress: `Database · ▸ Region · Name`, or `2/3 Region`. */
function renderProgress({ steps, stepIndex }: PromptForm, width: number, style: TextStyle): string {
  const names = [...steps.map(({ field }) => sanitizeLine(field.header)), 'Review'];
  const markedNames = names.map((name, index) => (index === stepIndex ? `▸ ${name}` : name));
  if (displayWidth(markedNames.join(' · ')) > width)
    return style.accent(clipText(`${stepIndex + 1}/${names.length} ${names[stepIndex]}`, width));
  return markedNames
    .map((name, index) => (index === stepIndex ? style.accent(name) : style.dim(name)))
    .join(style.dim(' · '));
}

function renderFormBody(form: PromptForm, area: RenderArea): string[] {
  const { overlay, question } = form;
  const { width, height, style } = area;
  if (overlay?.kind === 'help') return renderKeyBindings(form, overlay.scrollOffset, area);
  const step = currentStep(form);
  if (!overlay && !step) return renderReview(form, area);
  if (!overlay && step?.kind === 'choice') return renderChoices(step, area, question.confirms?.destructive ?? false);
  const editor = overlay ? form[overlay.kind] : (step as TextStep).editor;
  return renderEditorLines(editor, width - CURRENT_MARK.length, height, style).map(
    (line, index) => (index === 0 ? style.accent(CURRENT_MARK) : BLANK_MARK) + line,
  );
}

function renderKeyBindings(form: PromptForm, scrollOffset: number, { width, height, style }: RenderArea): string[] {
  const bindings = listFormKeys(form);
  const keyWidth = Math.max(...bindings.map(([key]) => displayWidth(key))) + 2;
  const lines = bindings.flatMap(([key, description]) =>
    wrapText(description, width, { first: style.accent(padToWidth(key, keyWidth)), rest: ' '.repeat(keyWidth) }),
  );
  const start = Math.max(0, Math.min(scrollOffset, lines.length - height));
  return lines.slice(start, start + height);
}

const MAX_VALUE_LINES = 3;
const NARROW_VALUE = 12;
const INDENT_BELOW = 4;

/** Renders the review: every answer, the comment, and “Send”. */
function renderReview(form: PromptForm, { width, height, style }: RenderArea): string[] {
  const rows: ReviewRow[] = [
    ...form.steps.map((step) => ({ name: sanitizeLine(step.field.header), value: formatReviewValue(step) })),
    { name: 'Comment', value: sanitizeLine(form.comment.text) || 'none' },
  ];
  const nameWidth = Math.max(...rows.map(({ name }) => displayWidth(name))) + 2;
  const blocks = rows.map((row, index) =>
    renderReviewRow(row, index === form.reviewRow, nameWidth, { width, height, style }),
  );
  const send = form.reviewRow === reviewSendRow(form) ? style.accent(`${CURRENT_MARK}Send`) : `${BLANK_MARK}Send`;
  return windowLines([...blocks, [send]], form.reviewRow, height, width, style);
}

interface ReviewRow {
  name: string;
  value: string;
}

/** Renders name and value side by side, or the value below if they do not fit. */
function renderReviewRow(
  { name, value }: ReviewRow,
  isCurrent: boolean,
  nameWidth: number,
  { width, style }: RenderArea,
): LineBlock {
  const prefix = isCurrent ? CURRENT_MARK : BLANK_MARK;
  const color = isCurrent ? style.accent : (text: string) => text;
  const isNarrow = width - prefix.length - nameWidth < NARROW_VALUE;
  const indent = ' '.repeat(isNarrow ? INDENT_BELOW : prefix.length + nameWidth);
  const valueWidth = width - indent.length;
  const values = isCurrent ? wrapText(value, valueWidth).slice(0, MAX_VALUE_LINES) : [clipText(value, valueWidth)];
  if (isNarrow) return [color(prefix + clipText(name, width - prefix.length)), ...values.map((line) => indent + line)];
  return values.map((line, index) => (index === 0 ? color(prefix + padToWidth(name, nameWidth)) : indent) + line);
}

function formatReviewValue(step: PromptForm['steps'][number]): string {
  const result = readStep(step);
  if (!result.ok) return sanitizeLine(result.error);
  // Shown in local time, as typed.
  if (step.kind === 'text' && isDateTimeField(step.field))
    return result.value === undefined ? 'empty' : `${sanitizeLine(step.editor.text)} (${localTimeZone()})`;
  return result.value === undefined ? 'empty' : sanitizeLine(formatAnswerValue(result.value)) || 'empty';
}

import type { TextStyle } from '#cli/render/colors';
import { sanitizeLine, sanitizeText } from '#cli/render/sanitize';
import { clipText, displayWidth, padToWidth, truncateLines, wrapText } from '#cli/render/text';
import { BLANK_MARK, CURRENT_MARK, type RenderArea, type Viewport, windowLines } from '#cli/render/viewport';
import { formatAnswerValue } from '#presentation/labels';
import { isDateTimeField, localTimeZone, readStep, type TextStep } from './field-step';
import { listFormKeys, renderFooter, renderKeyHints } from './footer';
import { currentStep, hasReview, type PromptForm } from './form-state';
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

/** Renders the review: every answer, the comment, and “Send”. */
function renderReview({ steps, comment, reviewRow }: PromptForm, { width, height, style }: RenderArea): string[] {
  const rows: [name: string, value: string][] = [
    ...steps.map((step): [string, string] => [sanitizeLine(step.field.header), formatReviewValue(step)]),
    ['Comment', sanitizeLine(comment.text) || 'none'],
  ];
  const nameWidth = Math.min(Math.max(...rows.map(([name]) => displayWidth(name))) + 2, width >> 1);
  const markOf = (index: number) => (index === reviewRow ? CURRENT_MARK : BLANK_MARK);
  const colorOf = (index: number) => (index === reviewRow ? style.accent : (text: string) => text);
  const blocks = rows.map(([name, value], index) => {
    const first = markOf(index) + padToWidth(clipText(name, nameWidth - 1), nameWidth);
    const lines = wrapText(value, width, { first: colorOf(index)(first), rest: ' '.repeat(displayWidth(first)) });
    return truncateLines(lines, index === reviewRow ? MAX_VALUE_LINES : 1, width);
  });
  const send = [colorOf(rows.length)(`${markOf(rows.length)}Send`)];
  return windowLines([...blocks, send], reviewRow, { width, height, style });
}

function formatReviewValue(step: PromptForm['steps'][number]): string {
  const result = readStep(step);
  if (!result.ok) return sanitizeLine(result.error);
  // Shown in local time, as typed.
  if (step.kind === 'text' && isDateTimeField(step.field))
    return result.value === undefined ? 'empty' : `${sanitizeLine(step.editor.text)} (${localTimeZone()})`;
  return result.value === undefined ? 'empty' : sanitizeLine(formatAnswerValue(result.value)) || 'empty';
}

import { safe, safeLine } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { clip, pad, widthOf, wrap } from '#cli/text/wrap';
import { isDangerous } from '#core/danger';
import { editorLines } from './editor-view';
import { flagLines } from './flag-view';
import { cut, footLines } from './foot';
import { currentStep, type Form, hasReview } from './form';
import { allKeys, helpLine } from './help';
import { listLines } from './list-view';
import { reviewLines } from './review-view';
import type { Step } from './step';
import { type Area, HERE, type View } from './view';

/** From that many lines on there is room for blank ones, and for what can be done without. */
const ROOMY = 14;
/** From that many on, what stands above is left to be seen. */
const TALL = 20;
const ABOVE = 3;

/** The form as lines, none wider than the screen and never more than it has, with one to spare for the cursor. */
export function draw(form: Form, { width: columns, height, style, now }: View): string[] {
  // A line that is full to the edge is broken by some terminals and not by others.
  const width = columns - 1;
  const total = height - 1 - (height >= TALL ? ABOVE : 0);
  const isRoomy = total >= ROOMY;
  const blank = isRoomy ? [''] : [];
  const foot = footLines(form, { width, style, isRoomy, now });
  const help = form.isReady ? [style.dim(form.isSending ? 'Sending …' : helpLine(form, width))] : [''];
  const most = Math.max(1, Math.floor((total - foot.length - help.length) / 2));
  const head = headOf(form, { width, room: most, style });
  const used = head.length + foot.length + help.length + blank.length * (foot.length > 0 ? 3 : 2);
  const body = bodyOf(form, { width, room: Math.max(1, total - used), style });
  const note = foot.length > 0 ? [...blank, ...foot] : [];
  return [...head, ...blank, ...body, ...note, ...blank, ...help].slice(0, total);
}

function headOf(form: Form, { width, room, style }: Area): string[] {
  const { over } = form;
  if (over?.kind === 'keys') return [style.bold('Keys')];
  if (over?.kind === 'comment') return [style.bold(clip('A comment, for the agent to read', width))];
  if (over?.kind === 'decline') return [style.bold(clip('Decline. Why? (You need not say.)', width))];
  const progress = hasReview(form) ? [progressLine(form, width, style)] : [];
  const step = currentStep(form);
  if (!step) return [...progress, style.bold(clip('All as you want it?', width))].slice(0, room);
  const header = hasReview(form) || room < 4 ? [] : [style.accent(clip(safeLine(step.field.header), width))];
  const left = Math.max(1, room - progress.length - header.length);
  const asked = cut(wrap(safe(step.field.question), width), left, width).map(style.bold);
  return [...progress, ...header, ...asked].slice(0, Math.max(room, progress.length + 1));
}

/** Where one is: `Database · ▸ Region · Name`, or `2/3 Region`. */
function progressLine({ steps, at }: Form, width: number, style: Style): string {
  const names = [...steps.map(({ field }) => safeLine(field.header)), 'Review'];
  const marked = names.map((name, index) => (index === at ? `▸ ${name}` : name));
  if (widthOf(marked.join(' · ')) > width)
    return style.accent(clip(`${at + 1}/${names.length} ${names[at]}`, width));
  return marked
    .map((name, index) => (index === at ? style.accent(name) : style.dim(name)))
    .join(style.dim(' · '));
}

function bodyOf(form: Form, area: Area): string[] {
  const { over } = form;
  const { width, room, style } = area;
  if (over?.kind === 'keys') return keyLines(form, over.from, area);
  if (over) {
    const editor = over.kind === 'comment' ? form.comment : form.reason;
    return written(editorLines(editor, width - HERE.length, room, style), style);
  }
  const step = currentStep(form);
  return step ? stepLines(form, step, area) : reviewLines(form, area);
}

function stepLines(form: Form, step: Step, area: Area): string[] {
  const { width, room, style } = area;
  switch (step.kind) {
    case 'list':
      return listLines(step, area);
    case 'flag':
      return flagLines(step, area, isDangerous(form.question));
    case 'writing':
      return written(editorLines(step.editor, width - HERE.length, room, style), style);
  }
}

function written(lines: string[], style: Style): string[] {
  return lines.map((line, index) => (index === 0 ? style.accent(HERE) : ' '.repeat(HERE.length)) + line);
}

function keyLines(form: Form, from: number, { width, room, style }: Area): string[] {
  const keys = allKeys(form);
  const column = Math.max(...keys.map(([key]) => widthOf(key))) + 2;
  const lines = keys.flatMap(([key, does]) =>
    wrap(does, width, { first: style.accent(pad(key, column)), rest: ' '.repeat(column) }),
  );
  const start = Math.max(0, Math.min(from, lines.length - room));
  return lines.slice(start, start + room);
}

import { dueText } from '#cli/text/question';
import { safeLine } from '#cli/text/safe';
import type { Style } from '#cli/text/style';
import { clip, widthOf, wrap } from '#cli/text/wrap';
import { urgencyOf } from '#core/urgency';
import { currentStep, type Form } from './form';
import { hintOf } from './hint';

interface Foot {
  width: number;
  style: Style;
  /** Otherwise there is one line, for what matters most. */
  isRoomy: boolean;
  now: number;
}

const NOTE_LINES = 3;
const DUE_LINES = 2;

/** What is wrong or still missing, what else will be sent, and by when. */
export function footLines(form: Form, foot: Foot): string[] {
  const { isRoomy } = foot;
  const note = noteLines(form, foot);
  if (form.over) return note;
  const lines = [...note, ...commentLines(form, foot), ...dueLines(form, foot)];
  return isRoomy ? lines : lines.slice(0, 1);
}

function noteLines(form: Form, { width, style, isRoomy }: Foot): string[] {
  const step = form.over ? undefined : currentStep(form);
  const room = isRoomy ? NOTE_LINES : 1;
  const fault = form.trouble ?? step?.fault;
  if (fault) return cut(wrap(safeLine(fault), width, { first: '✗ ' }), room, width).map(style.bad);
  const hint = step && hintOf(step);
  return hint ? cut(wrap(safeLine(hint), width), room, width).map(style.dim) : [];
}

function commentLines({ comment, steps, at }: Form, { width, style }: Foot): string[] {
  const said = safeLine(comment.text);
  // The review has a line for it.
  return said && at < steps.length ? [style.dim(clip(`Comment: ${said}`, width))] : [];
}

function dueLines({ question }: Form, { width, style, isRoomy, now }: Foot): string[] {
  const due = dueText(question, now);
  if (due === undefined) return [];
  const paint = urgencyOf(question, now) === 'calm' ? style.dim : style.warn;
  return cut(wrap(due, width), isRoomy ? DUE_LINES : 1, width).map(paint);
}

/** The first lines, and that there are more. */
export function cut(lines: readonly string[], room: number, width: number): string[] {
  if (lines.length <= room) return [...lines];
  const last = lines[room - 1] ?? '';
  const end = widthOf(last) < width ? `${last}…` : clip(`${last} `, width);
  return [...lines.slice(0, room - 1), end];
}

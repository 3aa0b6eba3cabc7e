import { valueText } from '../../../core/words';
import { safeLine } from '../../text/safe';
import { clip, pad, widthOf, wrap } from '../../text/wrap';
import type { Form } from './form';
import { commentRow, sendRow } from './review';
import { take } from './step';
import { type Area, ELSEWHERE, HERE } from './view';
import { windowOf } from './window';

const VALUE_LINES = 3;
const NARROW = 12;

/** Every answer, the comment, and sending it all. */
export function reviewLines(form: Form, { width, room, style }: Area): string[] {
  const rows = [
    ...form.steps.map((step) => [safeLine(step.field.header), shown(step)]),
    ['Comment', safeLine(form.comment.text) || 'none'],
  ] as [string, string][];
  const column = Math.max(...rows.map(([name]) => widthOf(name))) + 2;
  const blocks = rows.map(([name, value], index) => {
    const isHere = index === form.row;
    const before = isHere ? HERE : ELSEWHERE;
    const left = width - before.length - column;
    const paint = isHere ? style.accent : (text: string) => text;
    if (left < NARROW) {
      const below = isHere ? wrap(value, width - 4).slice(0, VALUE_LINES) : [clip(value, width - 4)];
      return [paint(before + clip(name, width - before.length)), ...below.map((line) => `    ${line}`)];
    }
    const lines = isHere ? wrap(value, left).slice(0, VALUE_LINES) : [clip(value, left)];
    return lines.map(
      (line, at) =>
        (at === 0 ? paint(before + pad(name, column)) : ' '.repeat(before.length + column)) +
        (index === commentRow(form) && value === 'none' ? style.dim(line) : line),
    );
  });
  const isSend = form.row === sendRow(form);
  const send = isSend ? style.accent(`${HERE}Send`) : `${ELSEWHERE}Send`;
  return windowOf([...blocks, [send]], form.row, room, width, style);
}

function shown(step: Form['steps'][number]): string {
  const taken = take(step);
  if (!taken.ok) return taken.fault;
  return taken.value === undefined ? 'empty' : safeLine(valueText(taken.value)) || 'empty';
}

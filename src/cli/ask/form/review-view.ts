import { zone } from '#cli/ask/moment';
import { safeLine } from '#cli/text/safe';
import { clip, pad, widthOf, wrap } from '#cli/text/wrap';
import { controlOf } from '#core/control';
import { valueText } from '#core/words';
import type { Form } from './form';
import { sendRow } from './review';
import { isMoment, take } from './step';
import { type Area, ELSEWHERE, HERE } from './view';
import { type Block, windowOf } from './window';

const VALUE_LINES = 3;
const NARROW = 12;
const BELOW = 4;

/** Every answer, the comment, and sending it all. */
export function reviewLines(form: Form, { width, room, style }: Area): string[] {
  const rows: Row[] = [
    ...form.steps.map((step) => ({ name: safeLine(step.field.header), value: shown(step) })),
    { name: 'Comment', value: safeLine(form.comment.text) || 'none' },
  ];
  const column = Math.max(...rows.map(({ name }) => widthOf(name))) + 2;
  const blocks = rows.map((row, index) => blockOf(row, index === form.row, column, { width, room, style }));
  const send = form.row === sendRow(form) ? style.accent(`${HERE}Send`) : `${ELSEWHERE}Send`;
  return windowOf([...blocks, [send]], form.row, room, width, style);
}

interface Row {
  name: string;
  value: string;
}

/** Side by side, or the value below where there is too little room for it. */
function blockOf({ name, value }: Row, isHere: boolean, column: number, { width, style }: Area): Block {
  const before = isHere ? HERE : ELSEWHERE;
  const paint = isHere ? style.accent : (text: string) => text;
  const isNarrow = width - before.length - column < NARROW;
  const indent = ' '.repeat(isNarrow ? BELOW : before.length + column);
  const room = width - indent.length;
  const values = isHere ? wrap(value, room).slice(0, VALUE_LINES) : [clip(value, room)];
  if (isNarrow)
    return [paint(before + clip(name, width - before.length)), ...values.map((line) => indent + line)];
  return values.map((line, index) => (index === 0 ? paint(before + pad(name, column)) : indent) + line);
}

function shown(step: Form['steps'][number]): string {
  const taken = take(step);
  if (!taken.ok) return safeLine(taken.fault);
  // In the time that it was written in.
  if (step.kind === 'writing' && isMoment(controlOf(step.field)))
    return taken.value === undefined ? 'empty' : `${safeLine(step.editor.text)} (${zone()})`;
  return taken.value === undefined ? 'empty' : safeLine(valueText(taken.value)) || 'empty';
}

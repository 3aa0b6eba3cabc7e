import type { Todo } from '#contract/conversation';
import { safeLine } from './safe';
import type { Style } from './style';
import { wrap } from './wrap';

/** The plan as it stands. */
export function planLines(todos: readonly Todo[], width: number, style: Style): string[] {
  if (todos.length === 0) return [];
  return [style.bold('Plan'), ...todos.flatMap((todo) => todoLines(todo, width, style))];
}

/** Only what has changed, where it is still the same plan. */
export function changeLines(
  before: readonly Todo[],
  now: readonly Todo[],
  width: number,
  style: Style,
): string[] {
  const isSame =
    before.length === now.length && now.every(({ content }, at) => content === before[at]?.content);
  if (!isSame) return planLines(now, width, style);
  return now
    .filter(({ status }, at) => status !== before[at]?.status)
    .flatMap((todo) => todoLines(todo, width, style));
}

export function todoLines({ content, status }: Todo, width: number, style: Style, beside = ''): string[] {
  const text = safeLine(content);
  const [mark, said] = {
    completed: [style.good('✓'), style.dim(text)],
    in_progress: [style.accent('▸'), text],
    pending: [style.dim('○'), text],
  }[status];
  return wrap(`${said}${beside}`, width, { first: `  ${mark} ` });
}

export function doneText(todos: readonly Todo[]): string {
  return `${todos.filter(({ status }) => status === 'completed').length} of ${todos.length} done`;
}

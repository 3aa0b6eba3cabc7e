import { Circle, CircleCheck, CircleDot } from 'lucide-react';
import type { Todo } from '#contract/conversation';
import css from './todo-list.module.css';

const STATUS_ICON = { pending: Circle, in_progress: CircleDot, completed: CircleCheck };
const STATUS_LABEL = { pending: 'to do', in_progress: 'in progress', completed: 'done' };

export function TodoList({ todos }: { todos: readonly Todo[] }) {
  return (
    <ul className={css.todos}>
      {todos.map(({ content, status }, index) => {
        const Icon = STATUS_ICON[status];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of them may say the same
          <li key={index} data-status={status}>
            <Icon size={16} aria-hidden="true" />
            <span dir="auto">
              {content}
              <span className="visually-hidden"> ({STATUS_LABEL[status]})</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

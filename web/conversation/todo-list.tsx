import { Circle, CircleCheck, CircleDot } from 'lucide-react';
import type { Todo } from '#contract/conversation';
import css from './todo-list.module.css';

const ICON = { pending: Circle, in_progress: CircleDot, completed: CircleCheck };
const SAID = { pending: 'to do', in_progress: 'under way', completed: 'done' };

export function TodoList({ todos }: { todos: readonly Todo[] }) {
  return (
    <ul className={css.todos}>
      {todos.map(({ content, status }, index) => {
        const Icon = ICON[status];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of them may say the same
          <li key={index} data-status={status}>
            <Icon size={16} aria-hidden="true" />
            <span dir="auto">
              {content}
              <span className="unseen"> ({SAID[status]})</span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

import { TodosInput } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const writeTodosTool: Tool = {
  name: 'write_todos',
  description:
    'Update the to-do list of this conversation, which the person sees. Send the whole list each time; mark the current ' +
    'item as in_progress and finished items as completed. Use it for work with three or more steps.',
  input: () => TodosInput,
  execution: { kind: 'todos' },
};

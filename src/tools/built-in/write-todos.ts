import { TodosInput } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const writeTodosTool: Tool = {
  name: 'write_todos',
  description:
    'Keep the to-do list of this conversation, which the person sees. Send the whole list each time; mark the item ' +
    'you are on as in_progress and finished ones as completed. Worth it for work of three steps or more.',
  input: () => TodosInput,
  execution: { kind: 'todos' },
};

import { ConfirmInput } from '#contract/tool-inputs';
import type { Tool } from '#tools/tool';

export const confirmActionTool: Tool = {
  name: 'confirm_action',
  description:
    'Ask the person to approve an action before you take it: anything that cannot be undone, costs money or affects ' +
    'others. Always waits for a person. The result is JSON: {"confirmed": true|false, "comment"?}. Act only on true.',
  input: () => ConfirmInput,
  execution: { kind: 'confirm' },
};

import { ConfirmInput } from '#contract/asking';
import type { Tool } from './tool';

export const confirmAction: Tool = {
  name: 'confirm_action',
  description:
    'Ask the person to approve an action before you take it: anything that cannot be undone, costs money, or is seen ' +
    'by others. Always waits for a person. The result is JSON: {"confirmed": true|false, "comment"?}. Act only on true.',
  input: () => ConfirmInput,
  running: { as: 'confirm' },
};

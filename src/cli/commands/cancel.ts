import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';

interface Options {
  reason?: string;
}

export const runCancel: CommandHandler<Options> = async (
  { parley, terminal, isJson },
  { args: [id = ''], options },
) => {
  const conversation = await parley.cancel(id, options.reason);
  if (isJson) terminal.printJson(conversation);
  else if (conversation.status === 'cancelled') terminal.print('Cancelled.');
  else terminal.print('Saved. The conversation will stop when a worker is running.');
  return EXIT.completed;
};

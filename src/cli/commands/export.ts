import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';

export const runExport: CommandHandler = async ({ parley, terminal }, { args: [id = ''] }) => {
  terminal.printJson(await parley.export(id));
  return EXIT.completed;
};

import type { Run } from '#cli/context';
import { EXIT } from '#cli/exit';
import { hasNoWorker } from '#cli/has-no-worker';
import type { Filter } from '#cli/inbox/filter';
import { answerInTurn, asFieldLines, asFields, waiting } from '#cli/inbox/plain';
import { NO_WORKER, unreadableText } from '#core/words';

interface Options extends Filter {
  list?: boolean;
  fields?: boolean;
}

export const run: Run<Options> = async (context, { options: { list, fields, agent, conversation } }) => {
  const { terminal, isJson } = context;
  const filter = { agent, conversation };
  if (isJson || list || fields) {
    const [{ items, ...rest }, isAlone] = await Promise.all([waiting(context, filter), hasNoWorker(context)]);
    if (isJson) terminal.printJson({ items, ...rest });
    else terminal.print(...(fields ? items.flatMap(asFieldLines) : items.map(asFields)));
    if (rest.unreadable) terminal.complain(unreadableText(rest.unreadable));
    if (isAlone) terminal.complain(NO_WORKER);
    return EXIT.completed;
  }
  if (!terminal.isInteractive) return answerInTurn(context, filter);
  return (await import('#cli/inbox/on-screen')).inboxOnScreen(context, filter);
};

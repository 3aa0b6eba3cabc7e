import { NO_WORKER, unreadableText } from '../../core/words';
import type { Run } from '../context';
import { EXIT } from '../exit';
import { hasNoWorker } from '../has-no-worker';
import type { Filter } from '../inbox/filter';
import { answerInTurn, asFieldLines, asFields, waiting } from '../inbox/plain';

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
  return (await import('../inbox/on-screen.js')).inboxOnScreen(context, filter);
};

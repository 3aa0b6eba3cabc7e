import { unreadableText } from '../../core/words';
import type { Run } from '../context';
import { EXIT } from '../exit';
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
    const { items, ...rest } = await waiting(context, filter);
    if (isJson) terminal.printJson({ items, ...rest });
    else terminal.print(...(fields ? items.flatMap(asFieldLines) : items.map(asFields)));
    if (rest.unreadable) terminal.complain(unreadableText(rest.unreadable));
    return EXIT.completed;
  }
  if (!terminal.isInteractive) return answerInTurn(context, filter);
  return (await import('../inbox/on-screen.js')).inboxOnScreen(context, filter);
};

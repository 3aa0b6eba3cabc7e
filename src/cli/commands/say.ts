import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { readTimelineSnapshot } from '#cli/lookups';
import { readMessageArgument } from '#cli/read-stdin';
import { sanitizeLine } from '#cli/render/sanitize';
import { parseWatchFlags, type WatchFlags, watchConversation } from '#cli/watch/watch';

interface Options extends WatchFlags {
  detach?: boolean;
}

export const runSay: CommandHandler<Options> = async (context, { words: [id = '', ...words], options }) => {
  const { parley, terminal, isJson } = context;
  const message = await readMessageArgument(words, `parley say ${id}`, terminal);
  // Before it is said: what comes of it is all told.
  const soFar = options.detach ? undefined : await readTimelineSnapshot(parley, id);
  const conversation = await parley.say(id, message);
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(sanitizeLine(id));
    return EXIT.completed;
  }
  const { todos, question } = conversation;
  // Still open although something was said: the message was no answer to it.
  const open = question && question.id === soFar?.question?.id ? question : null;
  const known = { todos, question: open };
  return watchConversation(context, id, { after: soFar?.last, known, ...parseWatchFlags(options, context) });
};

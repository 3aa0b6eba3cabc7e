import type { CommandHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { readTimelineSnapshot } from '#cli/lookups';
import { readMessageArgument } from '#cli/read-stdin';
import { sanitizeLine } from '#cli/render/sanitize';
import { type WatchFlags, watchConversation } from '#cli/watch/watch';

interface Options extends WatchFlags {
  detach?: boolean;
}

export const runSay: CommandHandler<Options> = async (context, { args: [id = '', ...messageArgs], options }) => {
  const { parley, terminal, isJson } = context;
  const message = await readMessageArgument(messageArgs, `parley say ${id}`, terminal);
  // Read before the message is sent, so that every later entry is printed.
  const snapshot = options.detach ? undefined : await readTimelineSnapshot(parley, id);
  const conversation = await parley.say(id, message);
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(sanitizeLine(id));
    return EXIT.completed;
  }
  const { todos, question } = conversation;
  // A question that is still open after the message was not answered by it.
  const openQuestion = question && question.id === snapshot?.question?.id ? question : null;
  const initial = { todos, question: openQuestion };
  return watchConversation(context, id, options, { after: snapshot?.lastEntryId, initial });
};

import type { Run } from '#cli/context';
import { EXIT } from '#cli/exit';
import { follow } from '#cli/follow/follow';
import { type FollowOptions, followingFrom } from '#cli/follow/options';
import { readSoFar } from '#cli/follow/so-far';
import { messageFrom } from '#cli/message';
import { safeLine } from '#cli/text/safe';

interface Options extends FollowOptions {
  detach?: boolean;
}

export const run: Run<Options> = async (context, { words: [id = '', ...words], options }) => {
  const { parley, terminal, isJson } = context;
  const message = await messageFrom(words, `parley say ${id}`, terminal);
  // Before it is said: what comes of it is all told.
  const soFar = options.detach ? undefined : await readSoFar(parley, id);
  const conversation = await parley.say(id, message);
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(safeLine(id));
    return EXIT.completed;
  }
  const { todos, question } = conversation;
  // Still open although something was said: the message was no answer to it.
  const open = question && question.id === soFar?.question?.id ? question : null;
  const known = { todos, question: open };
  return follow(context, id, { after: soFar?.last, known, ...followingFrom(options, context) });
};

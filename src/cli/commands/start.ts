import type { Context, Run } from '#cli/context';
import { EXIT, misuse } from '#cli/exit';
import { fitting } from '#cli/follow/ending';
import { follow } from '#cli/follow/follow';
import { type FollowOptions, followingFrom } from '#cli/follow/options';
import { messageFrom } from '#cli/message';
import type { Terminal } from '#cli/terminal';
import { safeLine } from '#cli/text/safe';
import type { StartInput } from '#client/input';

interface Options extends FollowOptions {
  detach?: boolean;
  id?: string;
  timeout?: string;
  onTimeout?: string;
  assign?: string[];
  visibleTo?: string[];
  notify?: string[];
  callback?: string;
  metadata?: string;
}

/** The first entry is the message that was just given. */
const OWN_MESSAGE = 1;

export const run: Run<Options> = async (context, { words, options }) => {
  const { parley, terminal, isJson } = context;
  const input = await startFrom(words, options, terminal);
  if (!input.agent) await refuseAgentAlone(context, input.message);
  const conversation = await parley.start(input);
  const { id } = conversation;
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(safeLine(id));
    return EXIT.completed;
  }
  if (!isJson && !options.events) sayStarted(terminal, safeLine(id));
  return follow(context, id, { after: OWN_MESSAGE, ...followingFrom(options, context) });
};

/** One word that is the name of an agent is a message that was forgotten. */
async function refuseAgentAlone({ parley }: Context, message: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(message)) return;
  const { items } = await parley.agents();
  if (items.some(({ name }) => name === message))
    throw misuse(`${message} is an agent. Say what it is to do, too: parley start ${message} "…"`);
}

async function startFrom(words: string[], options: Options, terminal: Terminal): Promise<StartInput> {
  const [first = '', ...rest] = words;
  if (words.length === 0) throw misuse('Say what you want: parley start "Plan our team offsite"');
  if (rest.length > 0 && /\s/.test(first))
    throw misuse(`Put the whole message in quotes: parley start "${words.join(' ')}"`);
  const [agent, said] = rest.length > 0 ? [first, rest] : [undefined, words];
  const message = await messageFrom(said, ['parley start', agent].filter(Boolean).join(' '), terminal);
  const { id, assign: assignees, visibleTo, callback: callbackUrl, metadata } = options;
  const question = questionFrom(options);
  return {
    ...(agent && { agent }),
    message,
    ...(id !== undefined && { id }),
    ...(assignees && { assignees }),
    ...(visibleTo && { visibleTo }),
    ...(callbackUrl && { callbackUrl }),
    ...(metadata !== undefined && { metadata: metadataFrom(metadata) }),
    ...(Object.keys(question).length > 0 && { question }),
  };
}

/** What they may be, the server says. */
function questionFrom({ timeout, onTimeout, notify }: Options): NonNullable<StartInput['question']> {
  const given = { ...(timeout && { timeout }), ...(onTimeout && { onTimeout }), ...(notify && { notify }) };
  return given as NonNullable<StartInput['question']>;
}

function metadataFrom(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below, as for what is JSON and no object.
  }
  throw misuse(`--metadata takes a JSON object, as in '{"ticket":7}'.`);
}

/** Beside what was asked for, which alone goes into a pipe. */
function sayStarted(terminal: Terminal, id: string): void {
  const { isInteractive, print, complain, style } = terminal;
  const say = isInteractive ? print : complain;
  say(`Started ${style.bold(id)}`, ...fitting(terminal, style.dim(`Come back with: parley watch ${id}`)));
  if (isInteractive) print('');
}

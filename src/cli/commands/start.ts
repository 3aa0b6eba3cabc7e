import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { readMessageArgument } from '#cli/read-stdin';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapIfInteractive } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import { type WatchFlags, watchConversation } from '#cli/watch/watch';
import type { StartInput } from '#client/options';
import { isJsonObject, parseJson } from '#core/json';

interface Options extends WatchFlags {
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

/** The id of the first timeline entry: the message itself. */
const FIRST_MESSAGE_ID = 1;

export const runStart: CommandHandler<Options> = async (context, { args, options }) => {
  const { parley, terminal, isJson } = context;
  const input = await parseStartInput(args, options, terminal);
  if (!input.agent) await rejectAgentNameOnly(context, input.message);
  const conversation = await parley.start(input);
  const { id } = conversation;
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(sanitizeLine(id));
    return EXIT.completed;
  }
  if (!isJson && !options.events) printStarted(terminal, sanitizeLine(id));
  return watchConversation(context, id, options, { after: FIRST_MESSAGE_ID });
};

/** Rejects a message that is only the name of an agent: the user forgot the message. */
async function rejectAgentNameOnly({ parley }: CommandContext, message: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(message)) return;
  const { items } = await parley.agents();
  if (items.some(({ name }) => name === message))
    throw usageError(`${message} is an agent. Add a message: parley start ${message} "…"`);
}

async function parseStartInput(args: string[], options: Options, terminal: Terminal): Promise<StartInput> {
  const [first = '', ...rest] = args;
  if (args.length === 0) throw usageError('Missing message. Example: parley start "Plan our team offsite"');
  if (rest.length > 0 && /\s/.test(first))
    throw usageError(`Put the whole message in quotes: parley start "${args.join(' ')}"`);
  const [agent, messageArgs] = rest.length > 0 ? [first, rest] : [undefined, args];
  const message = await readMessageArgument(messageArgs, ['parley start', agent].filter(Boolean).join(' '), terminal);
  const { id, assign, visibleTo, callback, metadata, timeout, onTimeout, notify } = options;
  // The server validates the settings.
  const settings = { timeout, onTimeout, notify } as StartInput['question'];
  const hasSettings = [timeout, onTimeout, notify].some((setting) => setting !== undefined);
  return {
    agent,
    message,
    id,
    assignees: assign,
    visibleTo,
    callbackUrl: callback,
    metadata: metadata === undefined ? undefined : parseMetadata(metadata),
    // Without settings, there must be no object: a repeated start must equal the first one.
    question: hasSettings ? settings : undefined,
  };
}

function parseMetadata(json: string): Record<string, unknown> {
  const value = parseJson(json);
  if (isJsonObject(value)) return value;
  throw usageError(`--metadata must be a JSON object, such as '{"ticket":7}'.`);
}

/** Prints the id to stderr if stdout is a pipe. */
function printStarted(terminal: Terminal, id: string): void {
  const { isInteractive, print, printError, style } = terminal;
  const printLine = isInteractive ? print : printError;
  printLine(`Started ${style.bold(id)}`, ...wrapIfInteractive(terminal, style.dim(`Resume with: parley watch ${id}`)));
  if (isInteractive) print('');
}

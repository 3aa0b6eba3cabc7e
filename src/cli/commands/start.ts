import type { CommandContext, CommandHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import { readMessageArgument } from '#cli/read-stdin';
import { sanitizeLine } from '#cli/render/sanitize';
import { wrapIfInteractive } from '#cli/render/text';
import type { Terminal } from '#cli/tty/terminal';
import { parseWatchFlags, type WatchFlags, watchConversation } from '#cli/watch/watch';
import type { StartInput } from '#client/options';

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

/** The first entry is the message that was just given. */
const FIRST_MESSAGE_NUMBER = 1;

export const runStart: CommandHandler<Options> = async (context, { words, options }) => {
  const { parley, terminal, isJson } = context;
  const input = await parseStartInput(words, options, terminal);
  if (!input.agent) await rejectAgentNameOnly(context, input.message);
  const conversation = await parley.start(input);
  const { id } = conversation;
  if (options.detach) {
    if (isJson) terminal.printJson(conversation);
    else terminal.print(sanitizeLine(id));
    return EXIT.completed;
  }
  if (!isJson && !options.events) printStarted(terminal, sanitizeLine(id));
  return watchConversation(context, id, {
    after: FIRST_MESSAGE_NUMBER,
    ...parseWatchFlags(options, context),
  });
};

/** One word that is the name of an agent is a message that was forgotten. */
async function rejectAgentNameOnly({ parley }: CommandContext, message: string): Promise<void> {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(message)) return;
  const { items } = await parley.agents();
  if (items.some(({ name }) => name === message))
    throw usageError(`${message} is an agent. Say what it is to do, too: parley start ${message} "…"`);
}

async function parseStartInput(words: string[], options: Options, terminal: Terminal): Promise<StartInput> {
  const [first = '', ...rest] = words;
  if (words.length === 0) throw usageError('Say what you want: parley start "Plan our team offsite"');
  if (rest.length > 0 && /\s/.test(first))
    throw usageError(`Put the whole message in quotes: parley start "${words.join(' ')}"`);
  const [agent, said] = rest.length > 0 ? [first, rest] : [undefined, words];
  const message = await readMessageArgument(said, ['parley start', agent].filter(Boolean).join(' '), terminal);
  const { id, assign: assignees, visibleTo, callback: callbackUrl, metadata } = options;
  const question = parseQuestionSettings(options);
  return {
    ...(agent && { agent }),
    message,
    ...(id !== undefined && { id }),
    ...(assignees && { assignees }),
    ...(visibleTo && { visibleTo }),
    ...(callbackUrl && { callbackUrl }),
    ...(metadata !== undefined && { metadata: parseMetadata(metadata) }),
    ...(Object.keys(question).length > 0 && { question }),
  };
}

/** What they may be, the server says. */
function parseQuestionSettings({ timeout, onTimeout, notify }: Options): NonNullable<StartInput['question']> {
  const given = { ...(timeout && { timeout }), ...(onTimeout && { onTimeout }), ...(notify && { notify }) };
  return given as NonNullable<StartInput['question']>;
}

function parseMetadata(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below, as for what is JSON and no object.
  }
  throw usageError(`--metadata takes a JSON object, as in '{"ticket":7}'.`);
}

/** Beside what was asked for, which alone goes into a pipe. */
function printStarted(terminal: Terminal, id: string): void {
  const { isInteractive, print, complain, style } = terminal;
  const say = isInteractive ? print : complain;
  say(`Started ${style.bold(id)}`, ...wrapIfInteractive(terminal, style.dim(`Come back with: parley watch ${id}`)));
  if (isInteractive) print('');
}

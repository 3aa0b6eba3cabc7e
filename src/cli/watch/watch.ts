import type { CommandContext } from '#cli/context';
import type { ExitCode } from '#cli/errors';
import { openLiveRegion } from '#cli/tty/live-region';
import type { Conversation } from '#contract/conversation';
import { ConversationWatcher } from './conversation-watcher';
import { streamConversationEvents, streamInboxEvents, type WatchEventListener } from './events';
import { JsonWatchRenderer, PlainWatchRenderer, SilentWatchRenderer } from './piped-renderers';
import type { WatchRenderer } from './renderer';

export interface WatchOptions {
  /** Id of the last timeline entry that was shown; only later ones are printed. */
  after?: number;
  /** The screen already has output above. */
  hasOutputAbove?: boolean;
  /** The state of the conversation at `after`. */
  initial?: Pick<Conversation, 'question' | 'todos'>;
  /** Prompt for answers; otherwise a question ends the watch. */
  isPrompting: boolean;
  /** Keep watching while somebody else answers. */
  isWaitingForOthers: boolean;
  /** Print each event as a line of JSON. */
  isEventStream?: boolean;
}

/** Renders a conversation live until it ends, waits for somebody who is not here, or the person leaves. */
export async function watchConversation(context: CommandContext, id: string, options: WatchOptions): Promise<ExitCode> {
  const abort = new AbortController();
  let watcher: ConversationWatcher | undefined;
  const deliver: WatchEventListener = (event) => watcher?.deliver(event);
  const renderer = await createWatchRenderer(context, id, options, deliver);
  watcher = new ConversationWatcher(context, id, options, renderer);
  const cleanUp = () => renderer.stop();
  const stopSignals = handleProcessSignals(() => deliver({ kind: 'quit' }), cleanUp);
  const { parley } = context;
  void streamConversationEvents(parley, id, { after: options.after, signal: abort.signal }, deliver);
  void streamInboxEvents(parley, id, abort.signal, deliver);
  try {
    return await watcher.run();
  } finally {
    abort.abort();
    stopSignals();
    cleanUp();
  }
}

async function createWatchRenderer(
  context: CommandContext,
  id: string,
  { isEventStream }: WatchOptions,
  deliver: WatchEventListener,
): Promise<WatchRenderer> {
  const { terminal } = context;
  if (isEventStream) return new JsonWatchRenderer(terminal, id);
  if (context.isJson) return new SilentWatchRenderer();
  if (!terminal.isInteractive) return new PlainWatchRenderer(terminal);
  const { TtyWatchRenderer } = await import('#cli/watch/tty-renderer');
  return new TtyWatchRenderer(terminal, openLiveRegion(terminal), deliver);
}

/** The watch options of the command line. */
export interface WatchFlags {
  input?: boolean;
  wait?: boolean;
  events?: boolean;
}

export function parseWatchFlags(
  { input, wait, events }: WatchFlags,
  { isJson }: CommandContext,
): Pick<WatchOptions, 'isPrompting' | 'isWaitingForOthers' | 'isEventStream'> {
  const isPrompting = input !== false && !isJson && !events;
  return { isPrompting, isWaitingForOthers: Boolean(wait), isEventStream: Boolean(events) };
}

/** SIGINT leaves in good order; SIGTERM and SIGHUP restore the screen, then end the process. */
function handleProcessSignals(onInterrupt: () => void, cleanUp: () => void): () => void {
  const onTerminate = (signal: NodeJS.Signals) => {
    cleanUp();
    removeHandlers();
    process.kill(process.pid, signal);
  };
  const removeHandlers = () => {
    process.off('SIGINT', onInterrupt);
    for (const signal of TERMINATION_SIGNALS) process.off(signal, onTerminate);
  };
  process.on('SIGINT', onInterrupt);
  for (const signal of TERMINATION_SIGNALS) process.on(signal, onTerminate);
  return removeHandlers;
}

const TERMINATION_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

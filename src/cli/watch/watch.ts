import type { CommandContext } from '#cli/context';
import type { ExitCode } from '#cli/errors';
import { openLiveRegion } from '#cli/tty/live-region';
import type { Conversation } from '#contract/conversation';
import { ConversationWatcher } from './conversation-watcher';
import { streamConversationEvents, streamInboxEvents, type WatchEventListener } from './events';
import { JsonWatchRenderer, PlainWatchRenderer, SilentWatchRenderer } from './piped-renderers';
import type { WatchRenderer } from './renderer';

export interface WatchOptions {
  /** What is known already is not told again: the number of the last entry that was shown. */
  after?: number;
  /** Something stands above it on the screen. */
  isBelow?: boolean;
  /** How it stood then. */
  known?: Pick<Conversation, 'question' | 'todos'>;
  /** Questions are put to whoever is here; otherwise a question ends it. */
  isAsking: boolean;
  /** Goes on while somebody else answers. */
  isWaiting: boolean;
  /** Each event as it is, on a line of its own. */
  isEvents?: boolean;
}

/** Tells what happens in a conversation as it happens, until it is over, waits for somebody who is not here, or is left. */
export async function watchConversation(
  context: CommandContext,
  id: string,
  following: WatchOptions,
): Promise<ExitCode> {
  const over = new AbortController();
  let follower: ConversationWatcher | undefined;
  const deliver: WatchEventListener = (happening) => follower?.deliver(happening);
  const teller = await createWatchRenderer(context, id, following, deliver);
  follower = new ConversationWatcher(context, id, following, teller);
  const tidy = () => teller.stop();
  const stopSignals = handleProcessSignals(() => deliver({ kind: 'left' }), tidy);
  const { parley } = context;
  void streamConversationEvents(parley, id, { after: following.after, signal: over.signal }, deliver);
  void streamInboxEvents(parley, id, over.signal, deliver);
  try {
    return await follower.run();
  } finally {
    over.abort();
    stopSignals();
    tidy();
  }
}

async function createWatchRenderer(
  context: CommandContext,
  id: string,
  { isEvents }: WatchOptions,
  deliver: WatchEventListener,
): Promise<WatchRenderer> {
  const { terminal } = context;
  if (isEvents) return new JsonWatchRenderer(terminal, id);
  if (context.isJson) return new SilentWatchRenderer();
  if (!terminal.isInteractive) return new PlainWatchRenderer(terminal);
  const { TtyWatchRenderer: LiveTeller } = await import('#cli/watch/tty-renderer');
  return new LiveTeller(terminal, openLiveRegion(terminal), deliver);
}

/** How one looks on, as the command line has it. */
export interface WatchFlags {
  input?: boolean;
  wait?: boolean;
  events?: boolean;
}

export function parseWatchFlags(
  { input, wait, events }: WatchFlags,
  { isJson }: CommandContext,
): Pick<WatchOptions, 'isAsking' | 'isWaiting' | 'isEvents'> {
  const isAsking = input !== false && !isJson && !events;
  return { isAsking, isWaiting: Boolean(wait), isEvents: Boolean(events) };
}

/** What the system tells us: to leave in good order, or to be gone, once the screen is tidy. */
function handleProcessSignals(leave: () => void, tidy: () => void): () => void {
  const goAway = (signal: NodeJS.Signals) => {
    tidy();
    stop();
    process.kill(process.pid, signal);
  };
  const stop = () => {
    process.off('SIGINT', leave);
    for (const signal of TERMINATION_SIGNALS) process.off(signal, goAway);
  };
  process.on('SIGINT', leave);
  for (const signal of TERMINATION_SIGNALS) process.on(signal, goAway);
  return stop;
}

const TERMINATION_SIGNALS = ['SIGTERM', 'SIGHUP'] as const;

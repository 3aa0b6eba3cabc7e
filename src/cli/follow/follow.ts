import type { Context } from '#cli/context';
import type { Exit } from '#cli/exit';
import { openRegion } from '#cli/screen/region';
import type { Conversation } from '#contract/conversation';
import { listenToConversation } from './conversation-events';
import { Follower } from './follower';
import type { Deliver } from './happening';
import { listenToInbox } from './inbox-events';
import { PlainTeller } from './plain-teller';
import { EventTeller, SilentTeller } from './program-teller';
import { onSignals } from './signals';
import type { Teller } from './teller';

export interface Following {
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
export async function follow(context: Context, id: string, following: Following): Promise<Exit> {
  const over = new AbortController();
  let follower: Follower | undefined;
  const deliver: Deliver = (happening) => follower?.deliver(happening);
  const teller = await tellerFor(context, id, following, deliver);
  follower = new Follower(context, id, following, teller);
  const tidy = () => teller.stop();
  const stopSignals = onSignals(() => deliver({ kind: 'left' }), tidy);
  const { parley } = context;
  void listenToConversation(parley, id, { after: following.after, signal: over.signal }, deliver);
  void listenToInbox(parley, id, over.signal, deliver);
  try {
    return await follower.run();
  } finally {
    over.abort();
    stopSignals();
    tidy();
  }
}

async function tellerFor(
  context: Context,
  id: string,
  { isEvents }: Following,
  deliver: Deliver,
): Promise<Teller> {
  const { terminal } = context;
  if (isEvents) return new EventTeller(terminal, id);
  if (context.isJson) return new SilentTeller();
  if (!terminal.isInteractive) return new PlainTeller(terminal);
  const { LiveTeller } = await import('./live-teller.js');
  return new LiveTeller(terminal, openRegion(terminal), deliver);
}

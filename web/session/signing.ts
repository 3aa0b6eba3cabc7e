import type { ParleyError } from '#client/parley-error';
import { say } from '../design/toast';
import { forgetDrafts, forgetDraftsOfOthers } from '../drafts';
import { forgetSettled } from '../live/questions';
import { parley } from '../parley';
import { useSession } from './session';

/** Other tabs of this browser share the cookie. */
const others = new BroadcastChannel('parley-session');
others.onmessage = ({ data }: MessageEvent<'changed' | 'left'>) => {
  if (data === 'left') forgetDrafts();
  void lookWho();
};

const AGAIN_MS = 3_000;
let lastPerson: string | null | undefined;

export async function lookWho(): Promise<void> {
  try {
    const session = await parley.session();
    if (session.name !== lastPerson) forgetSettled();
    lastPerson = session.name;
    forgetDraftsOfOthers(session.name);
    useSession.setState({ phase: 'in', session }, true);
  } catch (error) {
    if (useSession.getState().phase === 'out') return;
    useSession.setState({ phase: 'failed', error: error as ParleyError }, true);
    setTimeout(() => useSession.getState().phase === 'failed' && void lookWho(), AGAIN_MS);
  }
}

/** Swaps a key for a cookie that no script can read. Resolves to what is wrong with it, if anything is. */
export async function signIn(key: string): Promise<string | undefined> {
  const response = await fetch('/v1/session', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  }).catch(() => undefined);
  if (!response) return 'Parley cannot be reached. Check that you are online, then try again.';
  if (response.status === 401)
    return 'This key is not known here. Check that all of it was copied: it begins with parley_.';
  if (response.status === 429) return 'Too many tries. Wait a minute, then try again.';
  if (!response.ok) return `Parley could not sign you in (${response.status}). Try again in a moment.`;
  others.postMessage('changed');
  await lookWho();
  return undefined;
}

/** What was typed and not sent goes too: the next person at this screen is another. */
export async function signOut(): Promise<void> {
  const response = await fetch('/v1/session', { method: 'DELETE' }).catch(() => undefined);
  if (!response?.ok) return say('You are still signed in: Parley cannot be reached. Try again when it is.');
  forgetDrafts();
  others.postMessage('left');
  useSession.setState({ phase: 'out', isExpired: false }, true);
}

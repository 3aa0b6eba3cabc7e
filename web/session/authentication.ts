import type { ParleyError } from '#client/parley-error';
import { apiClient } from '../api/client';
import { clearResolvedQuestions } from '../api/live-questions';
import { showToast } from '../ui/toast';
import { deleteAllDrafts, deleteDraftsExceptOf } from './drafts';
import { useSession } from './session';

/** Other tabs of this browser share the cookie. */
const sessionChannel = new BroadcastChannel('parley-session');
sessionChannel.onmessage = ({ data }: MessageEvent<'changed' | 'signed-out'>) => {
  if (data === 'signed-out') deleteAllDrafts();
  void loadSession();
};

const RETRY_MS = 3_000;
let lastPerson: string | null | undefined;

export async function loadSession(): Promise<void> {
  try {
    const session = await apiClient.session();
    if (session.name !== lastPerson) clearResolvedQuestions();
    lastPerson = session.name;
    deleteDraftsExceptOf(session.name);
    useSession.setState({ phase: 'signedIn', session }, true);
  } catch (error) {
    if (useSession.getState().phase === 'signedOut') return;
    useSession.setState({ phase: 'failed', error: error as ParleyError }, true);
    setTimeout(() => useSession.getState().phase === 'failed' && void loadSession(), RETRY_MS);
  }
}

/** Exchanges an API key for an HTTP-only cookie. Resolves to an error message if that fails. */
export async function signIn(key: string): Promise<string | undefined> {
  const response = await fetch('/v1/session', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  }).catch(() => undefined);
  if (!response) return "Can't reach Parley. Check your connection and try again.";
  if (response.status === 401) return 'Unknown key. Check that you copied all of it: keys start with parley_.';
  if (response.status === 429) return 'Too many attempts. Wait a minute and try again.';
  if (!response.ok) return `Couldn't sign in (${response.status}). Try again in a moment.`;
  sessionChannel.postMessage('changed');
  await loadSession();
  return undefined;
}

/** Also deletes unsent drafts, because another person may sign in next. */
export async function signOut(): Promise<void> {
  const response = await fetch('/v1/session', { method: 'DELETE' }).catch(() => undefined);
  if (!response?.ok) return showToast("Can't reach Parley. You may still be signed in; try again.");
  deleteAllDrafts();
  sessionChannel.postMessage('signed-out');
  useSession.setState({ phase: 'signedOut', isExpired: false }, true);
}

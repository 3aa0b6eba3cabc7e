import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { Scope, Session } from '#contract/permissions';

type SessionState =
  | { phase: 'loading' }
  | { phase: 'failed'; error: ParleyError }
  | { phase: 'signedOut'; isExpired: boolean }
  | { phase: 'signedIn'; session: Session };

/** The current session. Without API keys, anyone on this machine is signed in. */
export const useSession = create<SessionState>(() => ({ phase: 'loading' }));

/** Handles a 401: the cookie has expired or is missing. */
export function markSignedOut(): void {
  const { phase } = useSession.getState();
  if (phase !== 'signedOut') useSession.setState({ phase: 'signedOut', isExpired: phase === 'signedIn' }, true);
}

function personNameIn(state: SessionState): string | null {
  return state.phase === 'signedIn' ? state.session.name : null;
}

export function usePersonName(): string | null {
  return useSession(personNameIn);
}

export function getPersonName(): string | null {
  return personNameIn(useSession.getState());
}

/** Returns whether the key has a scope. The server checks it again for each call. */
export function useHasScope(scope: Scope): boolean {
  return useSession(
    (state) =>
      state.phase === 'signedIn' && (state.session.scopes.includes(scope) || state.session.scopes.includes('admin')),
  );
}

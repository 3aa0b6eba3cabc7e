import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { Scope, Session } from '#contract/permissions';

type SessionState =
  | { phase: 'loading' }
  | { phase: 'failed'; error: ParleyError }
  | { phase: 'signedOut'; isExpired: boolean }
  | { phase: 'signedIn'; session: Session };

/** Who is signed in. If Parley has no API keys, anyone on this machine is. */
export const useSession = create<SessionState>(() => ({ phase: 'loading' }));

/** A request got a 401: the cookie has expired, or there was none. */
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

/** Whether the person's key may do this; each call is checked again where it counts. */
export function useHasScope(scope: Scope): boolean {
  return useSession(
    (state) =>
      state.phase === 'signedIn' && (state.session.scopes.includes(scope) || state.session.scopes.includes('admin')),
  );
}

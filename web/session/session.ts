import { create } from 'zustand';
import type { ParleyError } from '#client/parley-error';
import type { Scope, Session } from '#contract/permissions';

type SessionState =
  | { phase: 'asking' }
  | { phase: 'failed'; error: ParleyError }
  | { phase: 'out'; isExpired: boolean }
  | { phase: 'in'; session: Session };

/** Who is at the screen. Where Parley has no keys that is whoever is on this machine. */
export const useSession = create<SessionState>(() => ({ phase: 'asking' }));

/** A call was refused for want of a key: the cookie has run out, or there was none. */
export function markSignedOut(): void {
  const { phase } = useSession.getState();
  if (phase !== 'out') useSession.setState({ phase: 'out', isExpired: phase === 'in' }, true);
}

function personNameIn(state: SessionState): string | null {
  return state.phase === 'in' ? state.session.name : null;
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
    (state) => state.phase === 'in' && (state.session.scopes.includes(scope) || state.session.scopes.includes('admin')),
  );
}

import type { OnTimeout } from '../contract/question';
import { iso, type State } from './state';

export interface Plan {
  expiresAt: string | null;
  onTimeout: OnTimeout;
}

/** The call's policy goes before the start's, the start's before the agent's. */
export function planFor(
  state: State,
  call: { timeout?: number | null; onTimeout?: OnTimeout },
  hasDefaults: boolean,
  now: number,
): Plan {
  const chosen = call.onTimeout ?? state.policy.onTimeout ?? state.agent.questions.onTimeout;
  const onTimeout = chosen === 'default' && !hasDefaults ? 'continue' : chosen;
  const timeout = [call.timeout, state.policy.timeout, state.agent.questions.timeout].find(
    (t) => t !== undefined,
  );
  const forever = onTimeout === 'wait' || timeout === null || timeout === undefined;
  return { expiresAt: forever ? null : iso(now + timeout), onTimeout };
}

/** Milliseconds until the open question's deadline; `undefined` when there is none. */
export function untilDeadline(state: State, now: number): number | undefined {
  const expiresAt = state.question?.expiresAt;
  return expiresAt ? Date.parse(expiresAt) - now : undefined;
}

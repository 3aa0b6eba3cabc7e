import { patched, type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';

export type Hearing = [signal: SignalDefinition<[unknown]>, hear: (raw: unknown) => void];

interface Early {
  name: string;
  raw: unknown;
}

/**
 * Hear signals in the order in which they came, also those that came before the run's first task, as many do where a parked
 * conversation rolls over. The SDK hands those out kind by kind, as handlers are set: a later answer went before a decline.
 */
export function hearInOrder(hearings: Hearing[]): void {
  const early = takeEarly().filter(({ name }) => hearings.some(([signal]) => signal.name === name));
  const isMixed = early.some(({ name }) => name !== early[0]?.name);
  for (const [signal, hear] of hearings) setHandler(signal, hear);
  const ordered = isMixed && !patched('hears-in-order') ? kindByKind(early, hearings) : early;
  for (const { name, raw } of ordered) hearings.find(([signal]) => signal.name === name)?.[1](raw);
}

function takeEarly(): Early[] {
  const early: Early[] = [];
  const take = (name: string, raw: unknown) => void early.push({ name, raw });
  while (!hasTaken(take));
  setDefaultSignalHandler(undefined);
  return early;
}

/** The SDK throws at a name that is its own, which anybody may send, and has let go of that signal then. */
function hasTaken(take: (name: string, raw: unknown) => void): boolean {
  try {
    setDefaultSignalHandler(take);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** As it was done before, for runs that did. */
function kindByKind(early: Early[], hearings: Hearing[]): Early[] {
  return hearings.flatMap(([signal]) => early.filter(({ name }) => name === signal.name));
}

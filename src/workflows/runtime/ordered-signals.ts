import { patched, type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';

export type SignalHandler = [signal: SignalDefinition<[unknown]>, hear: (raw: unknown) => void];

interface BufferedSignal {
  name: string;
  raw: unknown;
}

/**
 * Hear signals in the order in which they came, also those that came before the run's first task, as many do where a parked
 * conversation rolls over. The SDK hands those out kind by kind, as handlers are set: a later answer went before a decline.
 */
export function setOrderedSignalHandlers(hearings: SignalHandler[]): void {
  const early = takeBufferedSignals().filter(({ name }) => hearings.some(([signal]) => signal.name === name));
  const isMixed = early.some(({ name }) => name !== early[0]?.name);
  for (const [signal, hear] of hearings) setHandler(signal, hear);
  const ordered = isMixed && !patched('hears-in-order') ? groupByKind(early, hearings) : early;
  for (const { name, raw } of ordered) hearings.find(([signal]) => signal.name === name)?.[1](raw);
}

function takeBufferedSignals(): BufferedSignal[] {
  const early: BufferedSignal[] = [];
  const take = (name: string, raw: unknown) => void early.push({ name, raw });
  while (!tryDrainBuffer(take));
  setDefaultSignalHandler(undefined);
  return early;
}

/** The SDK throws at a name that is its own, which anybody may send, and has let go of that signal then. */
function tryDrainBuffer(take: (name: string, raw: unknown) => void): boolean {
  try {
    setDefaultSignalHandler(take);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** As it was done before, for runs that did. */
function groupByKind(early: BufferedSignal[], hearings: SignalHandler[]): BufferedSignal[] {
  return hearings.flatMap(([signal]) => early.filter(({ name }) => name === signal.name));
}

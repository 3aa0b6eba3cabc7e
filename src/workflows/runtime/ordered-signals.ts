import { type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';

export type SignalHandler = [signal: SignalDefinition<[unknown]>, hear: (raw: unknown) => void];

interface BufferedSignal {
  name: string;
  raw: unknown;
}

/**
 * Hear signals in the order in which they came, also those that came before the run's first task, as many do where a parked
 * conversation rolls over. The SDK hands those out kind by kind, as handlers are set: a later answer went before a decline.
 */
export function setOrderedSignalHandlers(handlers: SignalHandler[]): void {
  const buffered = takeBufferedSignals().filter(({ name }) => handlers.some(([signal]) => signal.name === name));
  for (const [signal, handle] of handlers) setHandler(signal, handle);
  for (const { name, raw } of buffered) handlers.find(([signal]) => signal.name === name)?.[1](raw);
}

function takeBufferedSignals(): BufferedSignal[] {
  const buffered: BufferedSignal[] = [];
  const take = (name: string, raw: unknown) => void buffered.push({ name, raw });
  while (!tryDrainBuffer(take));
  setDefaultSignalHandler(undefined);
  return buffered;
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

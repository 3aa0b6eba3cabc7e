import { type SignalDefinition, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';

export type SignalHandler = [signal: SignalDefinition<[unknown]>, hear: (raw: unknown) => void];

interface BufferedSignal {
  name: string;
  raw: unknown;
}

/**
 * Sets signal handlers and delivers buffered signals in arrival order. The SDK would deliver those that came before
 * the first task by signal name, so a later answer could overtake a decline.
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

/** The SDK throws on reserved signal names, which any client may send. It has dropped the signal by then. */
function tryDrainBuffer(take: (name: string, raw: unknown) => void): boolean {
  try {
    setDefaultSignalHandler(take);
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

import { ParleyError } from '#client/parley-error';
import { pause } from '#client/waiting';

const AGAIN_MS = 2_000;
/** No way there, or something on the way that answers in its place. */
const PASSING = new Set<string>(['network', 'unexpected_response']);

/** A stream for as long as somebody looks on: while Parley cannot be reached at all it is opened again and again. */
export async function* listenTo<T>(
  open: (signal: AbortSignal) => AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  while (!signal.aborted) {
    try {
      yield* open(signal);
      return;
    } catch (error) {
      if (!(error instanceof ParleyError && PASSING.has(error.code))) throw error;
      await pause(AGAIN_MS, signal);
    }
  }
}

import { ApplicationFailure, Context } from '@temporalio/activity';
import { ModelError } from '#models/model';
import { toCancellationError } from './cancellation';
import { jitteredBackoff } from './retry-delay';

/** Attempts of a model call, without those that found the model overloaded: half an hour of outage. */
const MAX_ATTEMPTS = 20;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 120_000;

/** The attempts that found the model overloaded. Kept in the heartbeat, which Temporal passes on to the next attempt. */
interface Overloads {
  count: number;
  /** Total delay before the next attempts. Not the time that passed: that may be time without a worker. */
  waitedMs: number;
}

/**
 * Makes one attempt at a model call or summary, with heartbeats. The activity limits its attempts, not Temporal:
 * overload is limited by time, everything else by number.
 */
export async function attemptModelCall<T>(
  overloadLimitMs: number,
  call: (context: Context, onText: (text: string) => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { overloads = { count: 0, waitedMs: 0 } } = (context.info.heartbeatDetails ?? {}) as { overloads?: Overloads };
  const attempts = context.info.attempt - overloads.count;
  const heartbeat = startHeartbeat(context, overloads);
  try {
    // Attempts that killed their worker reported no failure.
    if (attempts > MAX_ATTEMPTS)
      throw new ModelError('model_unavailable', `The model call failed ${MAX_ATTEMPTS} times.`);
    return await call(context, heartbeat.write);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw await toCancellationError(context);
    if (!(error instanceof ModelError)) throw error;
    const { code, message, isFinal, retryAfterMs = 0 } = error;
    const nextRetryDelay = Math.max(
      Math.round(retryAfterMs * (1 + Math.random() / 10)),
      jitteredBackoff(context.info.attempt, FIRST_DELAY_MS, MAX_DELAY_MS),
    );
    const waitedMs = overloads.waitedMs + nextRetryDelay;
    const isOverloaded = code === 'model_overloaded';
    if (isOverloaded) context.heartbeat({ overloads: { count: overloads.count + 1, waitedMs } });
    const nonRetryable = isOverloaded ? waitedMs > overloadLimitMs : isFinal || attempts >= MAX_ATTEMPTS;
    throw ApplicationFailure.create({ type: code, message, nonRetryable, nextRetryDelay });
  } finally {
    heartbeat.stop();
  }
}

const HEARTBEAT_MS = 2_000;
const TEXT_HEARTBEAT_MS = 250;
const MAX_HEARTBEAT_TEXT_LENGTH = 64 * 1024;

/** Heartbeats on a timer, whether the model writes or not, so that silence means a dead worker. */
function startHeartbeat(context: Context, overloads: Overloads): { write(text: string): void; stop(): void } {
  let text = '';
  let lastBeatAt = Date.now();
  let pendingBeat: NodeJS.Timeout | undefined;
  const beat = () => {
    clearTimeout(pendingBeat);
    pendingBeat = undefined;
    lastBeatAt = Date.now();
    context.heartbeat({ text: text.slice(0, MAX_HEARTBEAT_TEXT_LENGTH), overloads });
  };
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    write(newText) {
      text = newText;
      // Sends the last text too when the model falls silent, as it does while it writes a tool call.
      pendingBeat ??= setTimeout(beat, Math.max(0, lastBeatAt + TEXT_HEARTBEAT_MS - Date.now()));
    },
    stop() {
      clearInterval(timer);
      clearTimeout(pendingBeat);
    },
  };
}

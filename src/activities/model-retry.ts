import { ApplicationFailure, Context } from '@temporalio/activity';
import { ModelError } from '#models/model';
import type { ModelCallRef } from '#workflows/runtime/sinks';
import type { ModelDeps } from './call-model';
import { toCancellationError } from './cancellation';
import { type MeteredModel, meterModel } from './metered-model';
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
 * overload is limited by time, everything else by number. A failure has what was used as its detail, for the workflow
 * to count.
 */
export async function attemptModelCall<T>(
  deps: Pick<ModelDeps, 'model' | 'overloadLimitMs'>,
  ref: Pick<ModelCallRef, 'allowance'>,
  call: (context: Context, model: MeteredModel, heartbeat: ModelHeartbeat) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { attempt, heartbeatDetails } = context.info;
  let { overloads = { count: 0, waitedMs: 0 } } = (heartbeatDetails ?? {}) as { overloads?: Overloads };
  const attempts = attempt - overloads.count;
  const model = meterModel(deps.model, context, ref);
  const heartbeat = startHeartbeat(context, () => ({ usage: model.usage(), overloads }));
  try {
    // Attempts that killed their worker reported no failure.
    if (attempts > MAX_ATTEMPTS)
      throw new ModelError('model_unavailable', `The model call failed ${MAX_ATTEMPTS} times.`);
    return await call(context, model, heartbeat);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw await toCancellationError(context);
    if (!(error instanceof ModelError)) throw error;
    const { code, message, isFinal, retryAfterMs = 0 } = error;
    const nextRetryDelay = Math.max(
      Math.round(retryAfterMs * (1 + Math.random() / 10)),
      jitteredBackoff(attempt, FIRST_DELAY_MS, MAX_DELAY_MS),
    );
    const isOverloaded = code === 'model_overloaded';
    if (isOverloaded) overloads = { count: overloads.count + 1, waitedMs: overloads.waitedMs + nextRetryDelay };
    const isLast = isOverloaded ? overloads.waitedMs > deps.overloadLimitMs : attempts >= MAX_ATTEMPTS;
    const details = [model.usage()];
    throw ApplicationFailure.create({ type: code, message, details, nonRetryable: isFinal || isLast, nextRetryDelay });
  } finally {
    heartbeat.stop();
  }
}

const HEARTBEAT_MS = 2_000;
const TEXT_HEARTBEAT_MS = 250;
const MAX_HEARTBEAT_TEXT_LENGTH = 64 * 1024;

type ModelHeartbeat = ReturnType<typeof startHeartbeat>;

/**
 * Heartbeats on a timer, whether the model writes or not, so that silence means a dead worker. They contain the text so
 * far and since when the model has been thinking, for viewers, and the record that the next attempt needs.
 */
function startHeartbeat(context: Context, readRecord: () => object) {
  let text = '';
  let thinkingSince: string | undefined;
  let lastBeatAt = Date.now();
  let pendingBeat: NodeJS.Timeout | undefined;
  const beat = () => {
    clearTimeout(pendingBeat);
    pendingBeat = undefined;
    lastBeatAt = Date.now();
    context.heartbeat({ text: text.slice(0, MAX_HEARTBEAT_TEXT_LENGTH), thinkingSince, ...readRecord() });
  };
  // Sends the last text too when the model falls silent, as it does while it writes a tool call.
  const beatSoon = () => {
    pendingBeat ??= setTimeout(beat, Math.max(0, lastBeatAt + TEXT_HEARTBEAT_MS - Date.now()));
  };
  const timer = setInterval(beat, HEARTBEAT_MS);
  return {
    onText(newText: string): void {
      text = newText;
      beatSoon();
    },
    onThinking(isThinking: boolean): void {
      thinkingSince = isThinking ? (thinkingSince ?? new Date().toISOString()) : undefined;
      beatSoon();
    },
    stop(): void {
      clearInterval(timer);
      // The next attempt must know what this one used.
      beat();
    },
  };
}

import { ApplicationFailure, Context } from '@temporalio/activity';
import { type Channel, ChannelError } from '#channels/channel';
import { channelOf } from '#core/destination';

export function channelFor(channels: Channel[], destination: string): Channel {
  const name = channelOf(destination);
  const channel = channels.find((one) => one.name === name);
  if (channel) return channel;
  throw ApplicationFailure.nonRetryable(
    `This worker has no channel "${name}": it is not set up. See docs/channels.md.`,
    'no_such_channel',
  );
}

/** A failure is tried again, later each time, unless no waiting mends it. */
export async function tried<T>(work: () => Promise<T>, failed = 'Something could not be told'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    const { log, info } = Context.current();
    log.warn(failed, { why: message, attempt: info.attempt });
    if (!(error instanceof ChannelError)) throw failure(message);
    if (error.isFinal)
      throw ApplicationFailure.nonRetryable(error.message, error.isGone ? 'gone' : 'undeliverable');
    throw failure(message, error.retryAfterMs);
  }
}

function failure(message: string, retryAfterMs = 0): ApplicationFailure {
  const { attempt } = Context.current().info;
  const nextRetryDelay = Math.max(retryAfterMs, backOff(attempt));
  return ApplicationFailure.create({ message, type: 'not_sent', nextRetryDelay });
}

const FIRST_MS = 2_000;
const LONGEST_MS = 3_600_000;

/** Doubles from two seconds to an hour. Many that failed at once do not come back at once. */
export function backOff(attempt: number, chance = Math.random()): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(most * (0.5 + chance / 2));
}

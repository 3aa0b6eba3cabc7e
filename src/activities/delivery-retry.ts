import { ApplicationFailure, Context } from '@temporalio/activity';
import { ChannelError, type ChannelSender } from '#channels/channel';
import { channelName } from '#core/questions/notifications';

export function findChannel(channels: ChannelSender[], destination: string): ChannelSender {
  const name = channelName(destination);
  const channel = channels.find((candidate) => candidate.name === name);
  if (channel) return channel;
  throw ApplicationFailure.nonRetryable(
    `The channel "${name}" is not set up on this worker. See docs/guides/channels.md.`,
    'no_such_channel',
  );
}

/** Maps a failure to a retryable or final one. Retries back off. */
export async function withRetry<T>(work: () => Promise<T>, logMessage = 'Failed to send a notification'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message } = error as Error;
    const { log, info } = Context.current();
    log.warn(logMessage, { why: message, attempt: info.attempt });
    if (!(error instanceof ChannelError)) throw toRetryableFailure(message);
    if (error.isPermanent)
      throw ApplicationFailure.nonRetryable(error.message, error.isUnsubscribed ? 'gone' : 'undeliverable');
    throw toRetryableFailure(message, error.retryAfterMs);
  }
}

function toRetryableFailure(message: string, retryAfterMs = 0): ApplicationFailure {
  const { attempt } = Context.current().info;
  const nextRetryDelay = Math.max(retryAfterMs, retryDelay(attempt));
  return ApplicationFailure.create({ message, type: 'not_sent', nextRetryDelay });
}

const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 3_600_000;

/** Doubles from two seconds to an hour, with jitter, so that many failures do not retry at once. */
export function retryDelay(attempt: number, random = Math.random()): number {
  const maxMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt - 1, 20));
  return Math.round(maxMs * (0.5 + random / 2));
}

import type { Response } from 'express';
import { ChannelError } from '#channels/channel';
import { InboundError } from '#channels/inbound';
import { toSlackChannelError } from '#channels/slack/errors';
import { formatSlackFeedback, refreshResolvedMessage, type SlackLocation, sendSlackFeedback } from './feedback';
import {
  createFormResponse,
  createSlowFormResponse,
  processButtonClick,
  processFormSubmission,
  readClickLocation,
  readFormOrigin,
  readSlackUser,
} from './interactions';
import type { SlackButtonClick, SlackFormSubmission, SlackMessageEvent } from './payloads';
import type { SlackUser } from './resolve-person';
import type { SlackInboundDeps, SlackSubmitResult } from './submit';
import { processThreadReply } from './thread-reply';

/** Acknowledges a click in time, whatever its result; feedback follows afterwards. */
export async function handleButtonClick(
  deps: SlackInboundDeps,
  click: SlackButtonClick,
  response: Response,
): Promise<void> {
  const user = readSlackUser(click);
  const work = catchSlackErrors(deps, processButtonClick(deps, click, user));
  await withinAckDeadline(work);
  response.end();
  reportBack(deps, work, user, readClickLocation(click));
}

/**
 * Shows the result in the form itself. If that takes too long, the form closes once Temporal has the answer, and
 * feedback goes to where it was opened.
 */
export async function handleFormSubmission(
  deps: SlackInboundDeps,
  form: SlackFormSubmission,
  response: Response,
): Promise<void> {
  const origin = readFormOrigin(form);
  if (!origin) return void response.end();
  const user = readSlackUser(form);
  const { channel, ts } = origin;
  let isAccepted = false;
  const onAccepted = () => {
    isAccepted = true;
  };
  const work = catchSlackErrors(deps, processFormSubmission(deps, form, origin, user, onAccepted));
  const settled = await withinAckDeadline(work);
  const isClosed = settled === undefined && isAccepted;
  response.json(settled?.value ? createFormResponse(settled.value, form, user) : createSlowFormResponse(isAccepted));
  reportBack(deps, work, user, { user: user.user, channel, ts }, () => isClosed);
}

const STILL_RUNNING = 'Parley is slow right now.';
const RETRIED_BY_SLACK =
  'Parley cannot process your reply right now. Slack retries for a few minutes. If the question above is still open after that, reply again.';

/** Does not acknowledge a reply until Temporal has it, so that Slack sends it again; repeats are harmless. */
export async function handleThreadReply(
  deps: SlackInboundDeps,
  message: SlackMessageEvent,
  team: string,
  response: Response,
): Promise<void> {
  const { channel, user: id = '', thread_ts: thread } = message;
  const user = { user: id, team: message.user_team ?? message.team ?? team };
  const work = catchSlackErrors(deps, processThreadReply(deps, message, user)).then(withRetryMessage);
  const settled = await withinAckDeadline(work);
  // People talk in threads, and Slack repeats deliveries: each person gets the same feedback once.
  const isNew = (text: string) => deps.isNew(JSON.stringify([channel, thread, id, text]));
  reportBack(deps, work, user, { user: id, channel, ts: thread, thread }, isNew);
  if (!settled) throw new InboundError('temporal_unavailable', STILL_RUNNING);
  const { value } = settled;
  if (value?.kind === 'error' && value.isUnavailable) throw new InboundError('temporal_unavailable', value.message);
  response.end();
}

function withRetryMessage(result: SlackSubmitResult | undefined): SlackSubmitResult | undefined {
  return result?.kind === 'error' && result.isUnavailable ? { ...result, message: RETRIED_BY_SLACK } : result;
}

const SUBMIT_FAILED = 'Something went wrong, and the error was logged. Answer in the web app instead.';

/** Turns an error into a result: everything has to be reported in Slack. */
async function catchSlackErrors(
  { inbound, slack }: SlackInboundDeps,
  work: Promise<SlackSubmitResult | undefined>,
): Promise<SlackSubmitResult | undefined> {
  try {
    return await work;
  } catch (error) {
    const channelError = toSlackChannelError(error, 'you', slack.host);
    if (!(channelError instanceof ChannelError)) {
      const { name, message } = channelError;
      inbound.log.error({ failure: `${name}: ${message}` }, 'Slack answer failed');
      return { kind: 'error', message: SUBMIT_FAILED };
    }
    inbound.log.warn({ failure: channelError.message }, 'request to Slack failed');
    return {
      kind: 'error',
      message: `Your answer was not accepted, because a request to Slack failed. ${channelError.message} Try again.`,
    };
  }
}

function reportBack(
  { inbound, slack, settings }: SlackInboundDeps,
  work: Promise<SlackSubmitResult | undefined>,
  user: SlackUser,
  location: SlackLocation,
  shouldSend: (text: string) => boolean = () => true,
): void {
  const report = async () => {
    const result = await work;
    const text = result && formatSlackFeedback(result, user);
    if (text && shouldSend(text)) await sendSlackFeedback(slack, settings.apiUrl, location, text);
    if (result) await refreshResolvedMessage(slack, inbound, location, result);
  };
  report().catch((error: unknown) => {
    inbound.log.warn(
      { failure: toSlackChannelError(error, 'them', slack.host).message },
      'could not send feedback in Slack',
    );
  });
}

/** Slack waits for three seconds, including the network round trip. */
const ACK_DEADLINE_MS = 2_500;

/** Returns the result if it arrives before the deadline; otherwise `undefined`, and the work continues. */
async function withinAckDeadline<T>(work: Promise<T>): Promise<{ value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ACK_DEADLINE_MS);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

import type { Response } from 'express';
import { ApiError } from '#api/middleware/errors';
import { ChannelError } from '#channels/channel';
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
import type { SlackUser } from './resolve-principal';
import { type SlackInboundDeps, type SlackSubmitResult, toSlackSubmitError } from './submit';
import { processThreadReply } from './thread-reply';

/** A click is acknowledged in time whatever becomes of it; what there is to say of it is said afterwards. */
export async function handleButtonClick(
  parts: SlackInboundDeps,
  click: SlackButtonClick,
  response: Response,
): Promise<void> {
  const user = readSlackUser(click);
  const work = catchSlackErrors(parts, processButtonClick(parts, click, user));
  await withinAckDeadline(work);
  response.end();
  reportBack(parts, work, user, readClickLocation(click));
}

/** A form shows by itself what came of it. Where that takes too long it is closed once Temporal has it, and told where it was opened. */
export async function handleFormSubmission(
  parts: SlackInboundDeps,
  form: SlackFormSubmission,
  response: Response,
): Promise<void> {
  const origin = readFormOrigin(form);
  if (!origin) return void response.end();
  const user = readSlackUser(form);
  const { channel, ts } = origin;
  let isKept = false;
  const keep = () => {
    isKept = true;
  };
  const work = catchSlackErrors(parts, processFormSubmission(parts, form, origin, user, keep));
  const inTime = await withinAckDeadline(work);
  const isClosed = inTime === undefined && isKept;
  response.json(inTime?.value ? createFormResponse(inTime.value, form, user) : createSlowFormResponse(isKept));
  reportBack(parts, work, user, { user: user.user, channel, ts }, () => isClosed);
}

const STILL_RUNNING = 'Parley is slow just now.';
const RETRIED_BY_SLACK =
  'Parley cannot take your reply just now. It is tried again by itself for a few minutes: if the message above still waits after that, reply again.';

/** A reply that is not safe with Temporal yet is not acknowledged: then Slack sends it once more, which does no harm. */
export async function handleThreadReply(
  parts: SlackInboundDeps,
  message: SlackMessageEvent,
  team: string,
  response: Response,
): Promise<void> {
  const { channel, user: id = '', thread_ts: thread } = message;
  const user = { user: id, team: message.user_team ?? message.team ?? team };
  const work = catchSlackErrors(parts, processThreadReply(parts, message, user)).then(withRetryMessage);
  const inTime = await withinAckDeadline(work);
  // People talk in a thread, and Slack hands a reply over again: the same is told to somebody once.
  const isNews = (words: string) => parts.isNew(JSON.stringify([channel, thread, id, words]));
  reportBack(parts, work, user, { user: id, channel, ts: thread, thread }, isNews);
  if (!inTime) throw new ApiError('temporal_unavailable', STILL_RUNNING);
  const { value } = inTime;
  if (value?.kind === 'trouble' && value.isDown) throw new ApiError('temporal_unavailable', value.words);
  response.end();
}

function withRetryMessage(result: SlackSubmitResult | undefined): SlackSubmitResult | undefined {
  return result?.kind === 'trouble' && result.isDown ? { ...result, words: RETRIED_BY_SLACK } : result;
}

/** What Slack itself would not do is a result, too. */
async function catchSlackErrors(
  parts: SlackInboundDeps,
  work: Promise<SlackSubmitResult | undefined>,
): Promise<SlackSubmitResult | undefined> {
  try {
    return await work;
  } catch (error) {
    const said = toSlackChannelError(error, 'you', parts.slack.host);
    if (!(said instanceof ChannelError)) return toSlackSubmitError(parts.context, undefined, error);
    parts.context.log.warn({ failure: said.message }, 'Slack was asked in vain');
    return {
      kind: 'trouble',
      words: `Nothing was taken: Parley could not get from Slack what it needs. ${said.message} Try again.`,
    };
  }
}

function reportBack(
  { context, slack, settings }: SlackInboundDeps,
  work: Promise<SlackSubmitResult | undefined>,
  user: SlackUser,
  where: SlackLocation,
  isNews: (words: string) => boolean = () => true,
): void {
  const telling = async () => {
    const result = await work;
    const words = result && formatSlackFeedback(result, user);
    if (words && isNews(words)) await sendSlackFeedback(slack, settings.apiUrl, where, words);
    if (result) await refreshResolvedMessage(slack, context, where, result);
  };
  telling().catch((error: unknown) => {
    context.log.warn(
      { failure: toSlackChannelError(error, 'them', slack.host).message },
      'somebody in Slack could not be told',
    );
  });
}

/** Slack waits for three seconds, and the way there and back takes some of it. */
const ACK_DEADLINE_MS = 2_500;

/** What it comes to, if it does so in time; `undefined` where it goes on by itself. */
async function withinAckDeadline<T>(work: Promise<T>): Promise<{ value: T } | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ACK_DEADLINE_MS);
  });
  try {
    return await Promise.race([work.then((value) => ({ value })), late]);
  } finally {
    clearTimeout(timer);
  }
}

import type { Response } from 'express';
import { Refusal } from '#api/errors';
import { ChannelError } from '#channels/channel';
import { channelErrorOf } from '#channels/slack/errors';
import { clicked, userOfPayload, whereOf } from './click';
import { type Result, refused } from './deed';
import { formReply, originOf, slowReply, submitted } from './form';
import type { Parts } from './parts';
import type { Click, Message, Submission } from './payloads';
import type { SlackUser } from './person';
import { replied } from './reply';
import { soon } from './soon';
import { bringUpToDate, tell, type Where, wordsOn } from './telling';

/** A click is acknowledged in time whatever becomes of it; what there is to say of it is said afterwards. */
export async function takeClick(parts: Parts, click: Click, response: Response): Promise<void> {
  const user = userOfPayload(click);
  const work = outcome(parts, clicked(parts, click, user));
  await soon(work);
  response.end();
  followUp(parts, work, user, whereOf(click));
}

/** A form shows by itself what came of it. Where that takes too long it is closed once Temporal has it, and told where it was opened. */
export async function takeForm(parts: Parts, form: Submission, response: Response): Promise<void> {
  const origin = originOf(form);
  if (!origin) return void response.end();
  const user = userOfPayload(form);
  const { channel, ts } = origin;
  let isKept = false;
  const keep = () => {
    isKept = true;
  };
  const work = outcome(parts, submitted(parts, form, origin, user, keep));
  const inTime = await soon(work);
  const isClosed = inTime === undefined && isKept;
  response.json(inTime?.value ? formReply(inTime.value, form, user) : slowReply(isKept));
  followUp(parts, work, user, { user: user.user, channel, ts }, () => isClosed);
}

const UNFINISHED = 'Parley is slow just now.';
const AGAIN =
  'Parley cannot take your reply just now. It is tried again by itself for a few minutes: if the message above still waits after that, reply again.';

/** A reply that is not safe with Temporal yet is not acknowledged: then Slack sends it once more, which does no harm. */
export async function takeReply(
  parts: Parts,
  message: Message,
  team: string,
  response: Response,
): Promise<void> {
  const { channel, user: id = '', thread_ts: thread } = message;
  const user = { user: id, team: message.user_team ?? message.team ?? team };
  const work = outcome(parts, replied(parts, message, user)).then(untilAgain);
  const inTime = await soon(work);
  // People talk in a thread, and Slack hands a reply over again: the same is told to somebody once.
  const isNews = (words: string) => parts.isNew(JSON.stringify([channel, thread, id, words]));
  followUp(parts, work, user, { user: id, channel, ts: thread, thread }, isNews);
  if (!inTime) throw new Refusal('temporal_unavailable', UNFINISHED);
  const { value } = inTime;
  if (value?.kind === 'trouble' && value.isDown) throw new Refusal('temporal_unavailable', value.words);
  response.end();
}

function untilAgain(result: Result | undefined): Result | undefined {
  return result?.kind === 'trouble' && result.isDown ? { ...result, words: AGAIN } : result;
}

/** What Slack itself would not do is a result, too. */
async function outcome(parts: Parts, work: Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const said = channelErrorOf(error, 'you', parts.slack.host);
    if (!(said instanceof ChannelError)) return refused(parts.context, undefined, error);
    parts.context.log.warn({ failure: said.message }, 'Slack was asked in vain');
    return {
      kind: 'trouble',
      words: `Nothing was taken: Parley could not get from Slack what it needs. ${said.message} Try again.`,
    };
  }
}

function followUp(
  { context, slack, settings }: Parts,
  work: Promise<Result | undefined>,
  user: SlackUser,
  where: Where,
  isNews: (words: string) => boolean = () => true,
): void {
  const telling = async () => {
    const result = await work;
    const words = result && wordsOn(result, user);
    if (words && isNews(words)) await tell(slack, settings.apiUrl, where, words);
    if (result) await bringUpToDate(slack, context, where, result);
  };
  telling().catch((error: unknown) => {
    context.log.warn(
      { failure: channelErrorOf(error, 'them', slack.host).message },
      'somebody in Slack could not be told',
    );
  });
}

import type { Response } from 'express';
import { ChannelError } from '../../channels/channel';
import { channelErrorOf } from '../../channels/slack/errors';
import { Refusal } from '../errors';
import { clicked, userOfPayload, whereOf } from './click';
import { type Result, refused } from './deed';
import { formReply, originOf, submitted } from './form';
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

/** A form shows by itself what came of it, unless that took too long: then it is closed, and told where it was opened. */
export async function takeForm(parts: Parts, form: Submission, response: Response): Promise<void> {
  const origin = originOf(form);
  if (!origin) return void response.end();
  const user = userOfPayload(form);
  const { channel, ts } = origin;
  const work = outcome(parts, submitted(parts, form, origin, user));
  const inTime = await soon(work);
  if (inTime?.value) response.json(formReply(inTime.value, form, user));
  else response.end();
  followUp(parts, work, user, { user: user.user, channel, ts, isTold: inTime !== undefined });
}

const UNFINISHED: Result = { kind: 'trouble', words: 'This took too long: send it again.', isDown: true };

/** A reply that is not safe with Temporal yet is not acknowledged: then Slack sends it once more, which does no harm. */
export async function takeReply(
  parts: Parts,
  message: Message,
  team: string,
  response: Response,
): Promise<void> {
  const { channel, user: id = '', ts, thread_ts: thread } = message;
  const user = { user: id, team: message.user_team ?? message.team ?? team };
  const work = outcome(parts, replied(parts, message, user));
  const inTime = await soon(work);
  // Sent again it is done again, without effect; but it is told once.
  followUp(parts, work, user, {
    user: id,
    channel,
    ts: thread,
    thread,
    isTold: !parts.isNew(`${channel}/${ts}`),
  });
  const { value } = inTime ?? { value: UNFINISHED };
  if (value?.kind === 'trouble' && value.isDown) throw new Refusal('temporal_unavailable', value.words);
  response.end();
}

/** What Slack itself would not do is a result, too. */
async function outcome(parts: Parts, work: Promise<Result | undefined>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    const said = channelErrorOf(error, 'you');
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
  where: Where & { isTold?: boolean },
): void {
  const telling = async () => {
    const result = await work;
    const words = result && wordsOn(result, user);
    if (words && !where.isTold) await tell(slack, settings.apiUrl, where, words);
    if (result) await bringUpToDate(slack, context, where, result);
  };
  telling().catch((error: unknown) => {
    context.log.warn(
      { failure: channelErrorOf(error, 'them').message },
      'somebody in Slack could not be told',
    );
  });
}

import type { ChatPostMessageArguments } from '@slack/web-api';
import { type Channel, ChannelError, type Copy, type Outgoing, type Ref } from '#channels/channel';
import type { SlackSettings } from '#contract/channel-settings';
import type { Person } from '#contract/people';
import { createSlack, type Slack } from './client';
import { findPosted, findReply } from './earlier';
import { inWords, slackCode } from './errors';
import { askedMessage, type Message, reminderMessage, settledMessage } from './message';
import { mentionsOf, targetOf } from './people';
import { tryPlace } from './trial';

const TIMEOUT_MS = 15_000;

/** Tells people in Slack: a message with buttons, which changes when the question is settled anywhere. */
export function slackChannel(settings: SlackSettings, people: readonly Person[]): Channel {
  const slack = createSlack(settings, TIMEOUT_MS);
  const told = <T>(place: string, work: () => Promise<T>) => inWords(slack.host, place, work);
  return {
    name: 'slack',
    send: (notice) => told(notice.place, () => send(slack, people, notice)),
    remind: (notice, first) => told(notice.place, () => remind(slack, people, notice, first)),
    settle: (copy) => told(copy.place, () => settle(slack, people, copy)),
    test: (place) => told(place, () => tryPlace(slack, people, place)),
  };
}

async function send(slack: Slack, people: readonly Person[], notice: Outgoing): Promise<Ref> {
  const target = await targetOf(slack, people, notice.place);
  const { id, question } = notice;
  const earlier = notice.isRepeat && (await findPosted(slack, target, { id, since: question.askedAt }));
  if (earlier) return earlier;
  return post(slack, target, askedMessage(notice, await mentionsOf(slack, people, notice.to)));
}

/** In the thread of the first copy, which stays the one with the buttons; seen in the channel, too, if escalated. */
async function remind(slack: Slack, people: readonly Person[], notice: Outgoing, first: Ref): Promise<Ref> {
  const { channel, ts } = first;
  if (!channel || !ts) return send(slack, people, notice);
  try {
    if (notice.isRepeat && (await findReply(slack, first, notice.id))) return first;
    const message = reminderMessage(notice, await mentionsOf(slack, people, notice.to));
    await post(slack, channel, message, { thread_ts: ts, reply_broadcast: notice.to.length > 0 });
    return first;
  } catch (error) {
    // Somebody deleted it: what is still open is put anew.
    if (!['thread_not_found', 'message_not_found'].includes(slackCode(error) ?? '')) throw error;
    return send(slack, people, notice);
  }
}

async function post(
  { web }: Slack,
  channel: string,
  message: Message,
  where: { thread_ts?: string; reply_broadcast?: boolean } = {},
): Promise<Ref> {
  const quiet = { unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false } as const;
  const whole = { channel, ...message, ...quiet, ...where } as ChatPostMessageArguments;
  const posted = await web.chat.postMessage(whole);
  return { channel: posted.channel ?? channel, ts: posted.ts ?? '' };
}

/** There is nobody left to tell. */
const GONE = ['message_not_found', 'channel_not_found', 'is_archived', 'thread_not_found'];

async function settle(slack: Slack, people: readonly Person[], copy: Copy): Promise<void> {
  const id = noticeIdOf(copy.id);
  const { channel, ts } = copy.ref.ts ? copy.ref : ((await findCopy(slack, people, { ...copy, id })) ?? {});
  if (!channel || !ts) return;
  try {
    await changeTo(slack, { channel, ts }, settledMessage({ ...copy, id }));
  } catch (error) {
    if (!GONE.includes(slackCode(error) ?? '')) throw error;
  }
}

/** A worker died before it said where the message is, if it posted it at all. */
async function findCopy(slack: Slack, people: readonly Person[], copy: Copy): Promise<Ref | undefined> {
  const { id, place, question } = copy;
  try {
    return await findPosted(slack, await targetOf(slack, people, place), { id, since: question.askedAt });
  } catch (error) {
    // Nobody is known by that name, so that nothing was sent to them.
    if (error instanceof ChannelError && error.isFinal) return undefined;
    throw error;
  }
}

export async function changeTo({ web }: Slack, where: { channel: string; ts: string }, message: Message) {
  await web.chat.update({ ...where, ...message, parse: 'none', link_names: false });
}

/** That of the notice the copy came from, which it keeps. */
function noticeIdOf(id: string): string {
  return id.replace(/\/settled$/, '');
}

import type { ChatPostMessageArguments } from '@slack/web-api';
import type { SlackSettings } from '../../contract/channel-settings';
import type { Person } from '../../contract/people';
import type { Channel, Copy, Outgoing, Ref } from '../channel';
import { createSlack, type Slack } from './client';
import { findPosted, findReply } from './earlier';
import { inWords, slackCode } from './errors';
import { askedMessage, type Message, reminderMessage, settledMessage } from './message';
import { mentionsOf, targetOf } from './people';
import { tryOut } from './trial';

const TIMEOUT_MS = 15_000;

/** Tells people in Slack: a message with buttons, which changes when the question is settled anywhere. */
export function slackChannel(settings: SlackSettings, people: readonly Person[]): Channel {
  const slack = createSlack(settings, TIMEOUT_MS);
  return {
    name: 'slack',
    send: (notice) => inWords(notice.place, () => send(slack, people, notice)),
    remind: (notice, first) => inWords(notice.place, () => remind(slack, people, notice, first)),
    settle: (copy) => inWords(copy.place, () => settle(slack, copy)),
    test: (place) => inWords(place, () => tryOut(slack, people, place)),
  };
}

async function send(slack: Slack, people: readonly Person[], notice: Outgoing): Promise<Ref> {
  const target = await targetOf(slack, people, notice.place);
  const { id, question } = notice;
  const earlier = notice.isRepeat && (await findPosted(slack, target, { id, since: question.askedAt }));
  if (earlier) return earlier;
  return post(slack, target, askedMessage(notice, await mentionsOf(slack, people, notice.to)));
}

/** In the thread of the first copy; seen in the channel, too, by those it is escalated to. */
async function remind(slack: Slack, people: readonly Person[], notice: Outgoing, first: Ref): Promise<Ref> {
  const { channel = '', ts = '' } = first;
  try {
    const earlier = notice.isRepeat && (await findReply(slack, first, notice.id));
    if (earlier) return earlier;
    const message = reminderMessage(notice, await mentionsOf(slack, people, notice.to));
    return await post(slack, channel, message, { thread_ts: ts, reply_broadcast: notice.to.length > 0 });
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

async function settle(slack: Slack, copy: Copy): Promise<void> {
  const { channel, ts } = copy.ref;
  if (!channel || !ts) return;
  try {
    await changeTo(slack, { channel, ts }, settledMessage({ ...copy, id: noticeIdOf(copy.id) }));
  } catch (error) {
    if (!GONE.includes(slackCode(error) ?? '')) throw error;
  }
}

export async function changeTo({ web }: Slack, where: { channel: string; ts: string }, message: Message) {
  await web.chat.update({ ...where, ...message, parse: 'none', link_names: false });
}

/** That of the notice the copy came from, which it keeps. */
function noticeIdOf(id: string): string {
  return id.replace(/\/settled$/, '');
}

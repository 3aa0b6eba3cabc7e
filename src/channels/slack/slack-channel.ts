import type { ChatPostMessageArguments } from '@slack/web-api';
import {
  type Channel,
  ChannelError,
  type DeliveryRef,
  type OutgoingNotification,
  type ResolvedCopy,
} from '#channels/channel';
import type { Person, SlackSettings } from '#contract/channel-settings';
import {
  createQuestionMessage,
  createReminderMessage,
  createResolvedMessage,
  type SlackMessage,
} from './blocks/message';
import { createContextNote, createSection } from './blocks/text';
import { createSlackClient, type SlackClient } from './client';
import { getSlackErrorCode, withSlackErrors } from './errors';
import { findPostedMessage, findPostedReminder } from './find-posted';
import { formatMentions, resolveSlackTarget } from './users';

const TIMEOUT_MS = 15_000;

/** Tells people in Slack: a message with buttons, which changes when the question is settled anywhere. */
export function createSlackChannel(settings: SlackSettings, people: readonly Person[]): Channel {
  const slack = createSlackClient(settings, TIMEOUT_MS);
  const told = <T>(place: string, work: () => Promise<T>) => withSlackErrors(slack.host, place, work);
  return {
    name: 'slack',
    send: (notice) => told(notice.place, () => sendQuestion(slack, people, notice)),
    remind: (notice, first) => told(notice.place, () => sendReminder(slack, people, notice, first)),
    settle: (copy) => told(copy.place, () => updateResolvedCopy(slack, people, copy)),
    test: (place) => told(place, () => testSlackTarget(slack, people, place)),
  };
}

async function sendQuestion(
  slack: SlackClient,
  people: readonly Person[],
  notice: OutgoingNotification,
): Promise<DeliveryRef> {
  const target = await resolveSlackTarget(slack, people, notice.place);
  const { id, question } = notice;
  const earlier = notice.isRepeat && (await findPostedMessage(slack, target, { id, since: question.askedAt }));
  if (earlier) return earlier;
  return postMessage(slack, target, createQuestionMessage(notice, await formatMentions(slack, people, notice.to)));
}

/** In the thread of the first copy, which stays the one with the buttons; seen in the channel, too, if escalated. */
async function sendReminder(
  slack: SlackClient,
  people: readonly Person[],
  notice: OutgoingNotification,
  first: DeliveryRef,
): Promise<DeliveryRef> {
  const { channel, ts } = first;
  if (!channel || !ts) return sendQuestion(slack, people, notice);
  try {
    if (notice.isRepeat && (await findPostedReminder(slack, first, notice.id))) return first;
    const message = createReminderMessage(notice, await formatMentions(slack, people, notice.to));
    await postMessage(slack, channel, message, { thread_ts: ts, reply_broadcast: notice.to.length > 0 });
    return first;
  } catch (error) {
    // Somebody deleted it: what is still open is put anew.
    if (!['thread_not_found', 'message_not_found'].includes(getSlackErrorCode(error) ?? '')) throw error;
    return sendQuestion(slack, people, notice);
  }
}

async function postMessage(
  { web }: SlackClient,
  channel: string,
  message: SlackMessage,
  where: { thread_ts?: string; reply_broadcast?: boolean } = {},
): Promise<DeliveryRef> {
  const quiet = { unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false } as const;
  const whole = { channel, ...message, ...quiet, ...where } as ChatPostMessageArguments;
  const posted = await web.chat.postMessage(whole);
  return { channel: posted.channel ?? channel, ts: posted.ts ?? '' };
}

/** There is nobody left to tell. */
const MESSAGE_GONE_CODES = ['message_not_found', 'channel_not_found', 'is_archived', 'thread_not_found'];

async function updateResolvedCopy(slack: SlackClient, people: readonly Person[], copy: ResolvedCopy): Promise<void> {
  const id = notificationIdOf(copy.id);
  const { channel, ts } = copy.ref.ts ? copy.ref : ((await findLostCopy(slack, people, { ...copy, id })) ?? {});
  if (!channel || !ts) return;
  try {
    await updateSlackMessage(slack, { channel, ts }, createResolvedMessage({ ...copy, id }));
  } catch (error) {
    if (!MESSAGE_GONE_CODES.includes(getSlackErrorCode(error) ?? '')) throw error;
  }
}

/** A worker died before it said where the message is, if it posted it at all. */
async function findLostCopy(
  slack: SlackClient,
  people: readonly Person[],
  copy: ResolvedCopy,
): Promise<DeliveryRef | undefined> {
  const { id, place, question } = copy;
  try {
    return await findPostedMessage(slack, await resolveSlackTarget(slack, people, place), {
      id,
      since: question.askedAt,
    });
  } catch (error) {
    // Nobody is known by that name, so that nothing was sent to them.
    if (error instanceof ChannelError && error.isFinal) return undefined;
    throw error;
  }
}

export async function updateSlackMessage(
  { web }: SlackClient,
  where: { channel: string; ts: string },
  message: SlackMessage,
) {
  await web.chat.update({ ...where, ...message, parse: 'none', link_names: false });
}

/** That of the notice the copy came from, which it keeps. */
function notificationIdOf(id: string): string {
  return id.replace(/\/settled$/, '');
}

/** What the bot needs, and for what. */
export const SLACK_BOT_SCOPES: Record<string, string> = {
  'chat:write': 'to post',
  'channels:read': 'to find a channel again by its name',
  'groups:read': 'to find a private channel again by its name',
  'channels:history': 'to see replies in channels, and not to post twice',
  'groups:history': 'to see replies in private channels, and not to post twice',
  'im:history': 'to see replies to direct messages, and not to post twice',
  'im:write': 'to write to a person',
  'users:read': 'to know who clicked',
  'users:read.email': 'to know people by their address',
};

/** Post something harmless. A bot that lacks a scope fails by it later, so it fails here, whatever was posted. */
async function testSlackTarget(slack: SlackClient, people: readonly Person[], place: string): Promise<string> {
  const { name, workspace, scopes } = await slack.self();
  const missing = scopes.length > 0 ? Object.keys(SLACK_BOT_SCOPES).filter((scope) => !scopes.includes(scope)) : [];
  if (missing.includes('chat:write')) throw new ChannelError(`The bot lacks ${describeMissingScopes(missing)}`);
  const told =
    place === ''
      ? `Slack takes the token of @${name} in ${workspace}. Try a place, as in slack:#ops.`
      : await postTestMessage(slack, await resolveSlackTarget(slack, people, place)).then(
          () => `A test message was sent to ${place} in ${workspace} as @${name}.`,
        );
  if (missing.length > 0) throw new ChannelError(`${told} But the bot lacks ${describeMissingScopes(missing)}`);
  return told;
}

function describeMissingScopes(missing: string[]): string {
  const scopes = missing.map((scope) => `${scope} (${SLACK_BOT_SCOPES[scope]})`).join(', ');
  return `the scopes ${scopes}: add them under OAuth & Permissions of the Slack app and install it again.`;
}

async function postTestMessage({ web }: SlackClient, channel: string): Promise<void> {
  const text = 'This is a test of Parley: questions that wait for an answer will be told of here.';
  await web.chat.postMessage({
    channel,
    text,
    blocks: [createSection(text), createContextNote('There is nothing to do.')],
  });
}

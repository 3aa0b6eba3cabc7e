import type { DeliveryRef } from '#channels/channel';
import type { SlackClient } from './client';
import { getSlackErrorCode } from './errors';

/** As much of a message as is needed to know it again. */
export interface PostedMessage {
  ts?: string;
  user?: string;
  bot_id?: string;
  metadata?: { event_type?: string; event_payload?: object };
}

const PAGE_SIZE = 200;
/** Where more was said since, it is sent again: that is better than not at all. */
const MAX_PAGES = 10;
/** Slack's clock is not ours. */
const CLOCK_SKEW_SECONDS = 300;

/** The metadata of a message, if this bot posted it: anybody can write metadata, but only the bot posts as the bot. */
export async function readNotificationMetadata(
  slack: SlackClient,
  message: PostedMessage,
): Promise<Record<string, unknown> | undefined> {
  const { user, bot } = await slack.self();
  const isOurs = (bot !== '' && message.bot_id === bot) || message.user === user;
  if (!isOurs || !message.metadata?.event_type?.startsWith('parley_')) return undefined;
  return message.metadata.event_payload as Record<string, unknown> | undefined;
}

interface MessagePage {
  messages?: PostedMessage[];
  response_metadata?: { next_cursor?: string };
}

/** Looks for the message of a notification, page by page. */
async function findInPages(
  slack: SlackClient,
  channel: string,
  id: string,
  fetchPage: (page: { limit: number; cursor?: string }) => Promise<MessagePage>,
): Promise<DeliveryRef | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { messages = [], response_metadata } = await fetchPage({
      limit: PAGE_SIZE,
      ...(cursor ? { cursor } : {}),
    });
    for (const message of messages) {
      const metadata = await readNotificationMetadata(slack, message);
      if (metadata?.notice === id && message.ts) return { channel, ts: message.ts };
    }
    cursor = response_metadata?.next_cursor;
    if (!cursor) break;
  }
  return undefined;
}

/** The first copy, if an earlier attempt got as far as posting it. */
export async function findPostedMessage(
  slack: SlackClient,
  target: string,
  { id, since }: { id: string; since: string },
): Promise<DeliveryRef | undefined> {
  const oldest = String(Math.floor(Date.parse(since) / 1_000) - CLOCK_SKEW_SECONDS);
  return undefinedIfUnreadable(async () => {
    const channel = await resolveChannelId(slack, target);
    if (!channel) return undefined;
    return findInPages(slack, channel, id, (page) =>
      slack.web.conversations.history({ channel, oldest, include_all_metadata: true, ...page }),
    );
  });
}

/** The same for a reminder. */
export async function findPostedReminder(
  slack: SlackClient,
  firstCopy: DeliveryRef,
  id: string,
): Promise<DeliveryRef | undefined> {
  const { channel = '', ts = '' } = firstCopy;
  return undefinedIfUnreadable(() =>
    findInPages(slack, channel, id, (page) =>
      slack.web.conversations.replies({ channel, ts, include_all_metadata: true, ...page }),
    ),
  );
}

/** A bot may post where it may not look. */
const UNREADABLE_CODES = ['missing_scope', 'not_in_channel', 'channel_not_found'];

/** `undefined` where the bot may not read: then the message is sent again, which is better than not at all. */
async function undefinedIfUnreadable(find: () => Promise<DeliveryRef | undefined>): Promise<DeliveryRef | undefined> {
  try {
    return await find();
  } catch (error) {
    if (UNREADABLE_CODES.includes(getSlackErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** History is read by id only. */
async function resolveChannelId({ web }: SlackClient, target: string): Promise<string | undefined> {
  if (/^[UW]/.test(target)) return (await web.conversations.open({ users: target })).channel?.id;
  if (!target.startsWith('#')) return target;
  let cursor: string | undefined;
  do {
    const page = await web.conversations.list({
      types: 'public_channel,private_channel',
      exclude_archived: true,
      limit: 1_000,
      ...(cursor ? { cursor } : {}),
    });
    const found = page.channels?.find(({ name }) => name === target.slice(1));
    if (found) return found.id;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return undefined;
}

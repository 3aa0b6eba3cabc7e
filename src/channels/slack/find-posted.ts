import type { DeliveryRef } from '#channels/channel';
import type { SlackClient } from './client';
import { getSlackErrorCode } from './errors';

/** The parts of a message that identify it. */
export interface PostedMessage {
  ts?: string;
  user?: string;
  bot_id?: string;
  metadata?: { event_type?: string; event_payload?: object };
}

const PAGE_SIZE = 200;
/** If more was posted since, the message is sent again: a duplicate is better than none. */
const MAX_PAGES = 10;
/** Tolerates a difference between Slack's clock and this one. */
const CLOCK_SKEW_SECONDS = 300;

/**
 * Returns the metadata of a message if this bot posted it. Any app can write metadata, but only the bot posts as the
 * bot.
 */
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

/** Finds the first copy, if an earlier attempt posted it. */
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

/** Finds a reminder, if an earlier attempt posted it. */
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

/** Codes that mean the bot may not read the channel; it may still be able to post. */
const UNREADABLE_CODES = ['missing_scope', 'not_in_channel', 'channel_not_found'];

/** Returns `undefined` if the bot may not read. The message is then sent again: a duplicate is better than none. */
async function undefinedIfUnreadable(find: () => Promise<DeliveryRef | undefined>): Promise<DeliveryRef | undefined> {
  try {
    return await find();
  } catch (error) {
    if (UNREADABLE_CODES.includes(getSlackErrorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Resolves a target to a channel id, since history can only be read by id. */
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

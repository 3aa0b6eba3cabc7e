import type { ChatPostMessageArguments } from '@slack/web-api';
import {
  ChannelError,
  type ChannelSender,
  type DeliveryRef,
  type OutgoingNotification,
  type ResolvedCopy,
} from '#channels/channel';
import type { Person } from '#contract/people';
import {
  createQuestionMessage,
  createReminderMessage,
  createResolvedMessage,
  type SlackMessage,
} from './blocks/message';
import { createContextNote, createSection } from './blocks/text';
import { createSlackClient, type SlackClient } from './client';
import { getSlackErrorCode, toSlackChannelError } from './errors';
import { findPostedMessage, findPostedReminder } from './find-posted';
import type { SlackSettings } from './settings';
import { formatMentions, resolveSlackTarget } from './users';

const TIMEOUT_MS = 15_000;

/**
 * Notifies people in Slack with a message that has buttons, and updates it once the question is resolved, wherever that
 * happened.
 */
export function createSlackSender(settings: SlackSettings, people: readonly Person[]): ChannelSender {
  const slack = createSlackClient(settings, TIMEOUT_MS);
  const guarded = async <T>(target: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toSlackChannelError(error, target, slack.host);
    }
  };
  return {
    name: 'slack',
    send: (notification) => guarded(notification.target, () => sendQuestion(slack, people, notification)),
    remind: (notification, firstCopy) =>
      guarded(notification.target, () => sendReminder(slack, people, notification, firstCopy)),
    updateCopy: (copy) => guarded(copy.target, () => updateResolvedCopy(slack, people, copy)),
    test: (target) => guarded(target, () => testSlackTarget(slack, people, target)),
  };
}

async function sendQuestion(
  slack: SlackClient,
  people: readonly Person[],
  notification: OutgoingNotification,
): Promise<DeliveryRef> {
  const channel = await resolveSlackTarget(slack, people, notification.target);
  const { id, question } = notification;
  const posted =
    notification.mayBeDuplicate && (await findPostedMessage(slack, channel, { id, since: question.askedAt }));
  if (posted) return posted;
  return postMessage(
    slack,
    channel,
    createQuestionMessage(notification, await formatMentions(slack, people, notification.escalatedTo)),
  );
}

/** Posts in the thread of the first copy, which keeps the buttons; also shown in the channel if escalated. */
async function sendReminder(
  slack: SlackClient,
  people: readonly Person[],
  notification: OutgoingNotification,
  firstCopy: DeliveryRef,
): Promise<DeliveryRef> {
  const { channel, ts } = firstCopy;
  if (!channel || !ts) return sendQuestion(slack, people, notification);
  try {
    if (notification.mayBeDuplicate && (await findPostedReminder(slack, firstCopy, notification.id))) return firstCopy;
    const message = createReminderMessage(notification, await formatMentions(slack, people, notification.escalatedTo));
    await postMessage(slack, channel, message, { thread_ts: ts, reply_broadcast: notification.escalatedTo.length > 0 });
    return firstCopy;
  } catch (error) {
    // The first copy was deleted, so the open question is posted again.
    if (!['thread_not_found', 'message_not_found'].includes(getSlackErrorCode(error) ?? '')) throw error;
    return sendQuestion(slack, people, notification);
  }
}

async function postMessage(
  { web }: SlackClient,
  channel: string,
  message: SlackMessage,
  thread: { thread_ts?: string; reply_broadcast?: boolean } = {},
): Promise<DeliveryRef> {
  const noPreviews = { unfurl_links: false, unfurl_media: false, parse: 'none', link_names: false } as const;
  const args = { channel, ...message, ...noPreviews, ...thread } as ChatPostMessageArguments;
  const response = await web.chat.postMessage(args);
  return { channel: response.channel ?? channel, ts: response.ts ?? '' };
}

/** Codes that mean the message can no longer be updated. */
const MESSAGE_GONE_CODES = ['message_not_found', 'channel_not_found', 'is_archived', 'thread_not_found'];

async function updateResolvedCopy(slack: SlackClient, people: readonly Person[], copy: ResolvedCopy): Promise<void> {
  // The id of the notification that the copy came from, which is in the copy's metadata.
  const id = copy.id.replace(/\/settled$/, '');
  const { channel, ts } = copy.ref.ts ? copy.ref : ((await findLostCopy(slack, people, { ...copy, id })) ?? {});
  if (!channel || !ts) return;
  try {
    await updateSlackMessage(slack, { channel, ts }, createResolvedMessage({ ...copy, id }));
  } catch (error) {
    if (!MESSAGE_GONE_CODES.includes(getSlackErrorCode(error) ?? '')) throw error;
  }
}

/** Finds a copy whose ref was never recorded, because a worker died while posting. */
async function findLostCopy(
  slack: SlackClient,
  people: readonly Person[],
  copy: ResolvedCopy,
): Promise<DeliveryRef | undefined> {
  const { id, target, question } = copy;
  try {
    return await findPostedMessage(slack, await resolveSlackTarget(slack, people, target), {
      id,
      since: question.askedAt,
    });
  } catch (error) {
    // No Slack user has that name, so nothing was sent.
    if (error instanceof ChannelError && error.isPermanent) return undefined;
    throw error;
  }
}

export async function updateSlackMessage(
  { web }: SlackClient,
  location: { channel: string; ts: string },
  message: SlackMessage,
) {
  await web.chat.update({ ...location, ...message, parse: 'none', link_names: false });
}

/** The scopes that the bot needs, and why. */
export const SLACK_BOT_SCOPES: Record<string, string> = {
  'chat:write': 'to post messages',
  'channels:read': 'to find a channel by name',
  'groups:read': 'to find a private channel by name',
  'channels:history': 'to see replies in channels and avoid duplicates',
  'groups:history': 'to see replies in private channels and avoid duplicates',
  'im:history': 'to see replies to direct messages and avoid duplicates',
  'im:write': 'to send direct messages',
  'users:read': 'to identify who clicked',
  'users:read.email': 'to identify people by email address',
};

/** Posts a harmless message, then fails if the bot lacks a scope, since it would fail later anyway. */
async function testSlackTarget(slack: SlackClient, people: readonly Person[], target: string): Promise<string> {
  const { name, workspace, scopes } = await slack.self();
  const missingScopes =
    scopes.length > 0 ? Object.keys(SLACK_BOT_SCOPES).filter((scope) => !scopes.includes(scope)) : [];
  if (missingScopes.includes('chat:write'))
    throw new ChannelError(`The bot is missing ${describeMissingScopes(missingScopes)}`);
  const outcome =
    target === ''
      ? `Slack accepted the token of @${name} in ${workspace}. To send a test message, add a destination such as slack:#ops.`
      : await postTestMessage(slack, await resolveSlackTarget(slack, people, target)).then(
          () => `Sent a test message to ${target} in ${workspace} as @${name}.`,
        );
  if (missingScopes.length > 0)
    throw new ChannelError(`${outcome} But the bot is missing ${describeMissingScopes(missingScopes)}`);
  return outcome;
}

function describeMissingScopes(missing: string[]): string {
  const scopes = missing.map((scope) => `${scope} (${SLACK_BOT_SCOPES[scope]})`).join(', ');
  return `the scopes ${scopes}. Add them under OAuth & Permissions of the Slack app and reinstall it.`;
}

async function postTestMessage({ web }: SlackClient, channel: string): Promise<void> {
  const text = 'This is a test from Parley: questions that need an answer are posted here.';
  await web.chat.postMessage({
    channel,
    text,
    blocks: [createSection(text), createContextNote('No action is needed.')],
  });
}

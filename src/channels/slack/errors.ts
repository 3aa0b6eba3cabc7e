import {
  SlackError,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { ChannelError } from '#channels/channel';

const TOKEN =
  'Slack does not take the bot token: copy it anew from OAuth & Permissions of the Slack app into SLACK_BOT_TOKEN.';
const CLOSED =
  'Whoever runs the workspace does not let the bot post there: ask them, or choose another place.';
const OURS = 'Slack refused the message itself, which is a fault of Parley: please report it.';

/** What is wrong there, and what to do about it. `%` is the place. */
const WORDS: Record<string, string> = {
  invalid_auth: TOKEN,
  not_authed: TOKEN,
  token_revoked: TOKEN,
  token_expired: TOKEN,
  account_inactive: TOKEN,
  no_permission: TOKEN,
  team_access_not_granted: TOKEN,
  not_allowed_token_type: TOKEN,
  missing_scope: 'The bot lacks a scope: add it under OAuth & Permissions and install the app again.',
  channel_not_found:
    'There is no % that the bot can see: check the name, and if it is private, invite the bot there with /invite.',
  not_in_channel: 'The bot is not in %: invite it there with /invite.',
  is_archived: '% is archived: take it back out of the archive, or choose another place.',
  user_not_found: 'There is no user % in the workspace of the bot.',
  users_not_found: 'Nobody in the workspace of the bot has the address of %.',
  user_disabled: '% is no longer in the workspace.',
  cannot_dm_bot: '% is a bot, and bots cannot be written to.',
  messages_tab_disabled: 'The bot cannot be written to: switch the Messages Tab on under App Home.',
  restricted_action: CLOSED,
  restricted_action_read_only_channel: CLOSED,
  restricted_action_non_threadable_channel: CLOSED,
  restricted_action_thread_only_channel: CLOSED,
  access_denied: CLOSED,
  cant_update_message: 'The message is not by this bot any more: was the app put in anew?',
  edit_window_closed: 'The workspace does not let messages be changed that late.',
  invalid_blocks: OURS,
  invalid_blocks_format: OURS,
  msg_blocks_too_long: OURS,
  msg_too_long: OURS,
  invalid_arguments: OURS,
  invalid_metadata_format: OURS,
  metadata_too_large: OURS,
};

/** Whoever runs Parley can mend it while the notice waits. */
const MENDABLE = new Set([
  ...Object.keys(WORDS).filter((code) => WORDS[code] === TOKEN || WORDS[code] === CLOSED),
  'missing_scope',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'messages_tab_disabled',
]);

export function slackCode(error: unknown): string | undefined {
  return error instanceof WebAPIPlatformError ? String(error.data.error) : undefined;
}

/** In words for whoever runs Parley, and whether to try again. */
export function channelErrorOf(error: unknown, place: string, host = 'slack.com'): Error {
  if (error instanceof ChannelError) return error;
  if (error instanceof WebAPIRateLimitedError)
    return new ChannelError('Slack asks to wait: too much was sent at once.', {
      retryAfterMs: error.retryAfter * 1_000,
    });
  if (error instanceof WebAPIPlatformError) return platformErrorOf(error, place);
  if (error instanceof WebAPIHTTPError)
    return new ChannelError(`Slack is out of order: it answered ${error.statusCode}.`);
  if (error instanceof WebAPIRequestError || error instanceof SlackError)
    return new ChannelError(
      `Slack cannot be reached at ${host}: check that this machine may connect there (its DNS, network and firewall), and SLACK_API_URL if it is set.`,
    );
  return error instanceof Error ? error : new Error(String(error));
}

function platformErrorOf({ data }: WebAPIPlatformError, place: string): ChannelError {
  const { error, needed } = data as { error: string; needed?: string };
  const code = /^\w{1,60}$/.test(error) ? error : 'something that is no answer';
  const words = WORDS[code];
  if (!words) return new ChannelError(`Slack could not do it (${code}).`);
  const scope = code === 'missing_scope' && needed ? ` Needed: ${needed}.` : '';
  return new ChannelError(`${words.replace('%', place)}${scope} (Slack says ${code}.)`, {
    isFinal: !MENDABLE.has(code),
  });
}

/** Do it, and have what fails in words. */
export async function inWords<T>(host: string, place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw channelErrorOf(error, place, host);
  }
}

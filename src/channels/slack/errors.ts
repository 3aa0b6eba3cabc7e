import {
  SlackError,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { ChannelError } from '#channels/channel';

const TOKEN_REJECTED =
  'Slack does not take the bot token: copy it anew from OAuth & Permissions of the Slack app into SLACK_BOT_TOKEN.';
const POSTING_RESTRICTED =
  'Whoever runs the workspace does not let the bot post there: ask them, or choose another place.';
const INVALID_MESSAGE = 'Slack refused the message itself, which is a fault of Parley: please report it.';

/** What is wrong and how to fix it. `%` stands for the target. */
const SLACK_ERROR_HINTS: Record<string, string> = {
  invalid_auth: TOKEN_REJECTED,
  not_authed: TOKEN_REJECTED,
  token_revoked: TOKEN_REJECTED,
  token_expired: TOKEN_REJECTED,
  account_inactive: TOKEN_REJECTED,
  no_permission: TOKEN_REJECTED,
  team_access_not_granted: TOKEN_REJECTED,
  not_allowed_token_type: TOKEN_REJECTED,
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
  restricted_action: POSTING_RESTRICTED,
  restricted_action_read_only_channel: POSTING_RESTRICTED,
  restricted_action_non_threadable_channel: POSTING_RESTRICTED,
  restricted_action_thread_only_channel: POSTING_RESTRICTED,
  access_denied: POSTING_RESTRICTED,
  cant_update_message: 'The message is not by this bot any more: was the app put in anew?',
  edit_window_closed: 'The workspace does not let messages be changed that late.',
  invalid_blocks: INVALID_MESSAGE,
  invalid_blocks_format: INVALID_MESSAGE,
  msg_blocks_too_long: INVALID_MESSAGE,
  msg_too_long: INVALID_MESSAGE,
  invalid_arguments: INVALID_MESSAGE,
  invalid_metadata_format: INVALID_MESSAGE,
  metadata_too_large: INVALID_MESSAGE,
};

/** Errors that the operator can fix while the notification waits. */
const FIXABLE_CODES = new Set([
  ...Object.keys(SLACK_ERROR_HINTS).filter(
    (code) => SLACK_ERROR_HINTS[code] === TOKEN_REJECTED || SLACK_ERROR_HINTS[code] === POSTING_RESTRICTED,
  ),
  'missing_scope',
  'channel_not_found',
  'not_in_channel',
  'is_archived',
  'messages_tab_disabled',
]);

export function getSlackErrorCode(error: unknown): string | undefined {
  return error instanceof WebAPIPlatformError ? String(error.data.error) : undefined;
}

/** Converts an error to a channel error, with a message for the operator and whether to retry. */
export function toSlackChannelError(error: unknown, target: string, host = 'slack.com'): Error {
  if (error instanceof ChannelError) return error;
  if (error instanceof WebAPIRateLimitedError)
    return new ChannelError('Slack asks to wait: too much was sent at once.', {
      retryAfterMs: error.retryAfter * 1_000,
    });
  if (error instanceof WebAPIPlatformError) return toPlatformChannelError(error, target);
  if (error instanceof WebAPIHTTPError)
    return new ChannelError(`Slack is out of order: it answered ${error.statusCode}.`);
  if (error instanceof WebAPIRequestError || error instanceof SlackError)
    return new ChannelError(
      `Slack cannot be reached at ${host}: check that this machine may connect there (its DNS, network and firewall), and SLACK_API_URL if it is set.`,
    );
  return error instanceof Error ? error : new Error(String(error));
}

function toPlatformChannelError({ data }: WebAPIPlatformError, target: string): ChannelError {
  const { error, needed } = data as { error: string; needed?: string };
  const code = /^\w{1,60}$/.test(error) ? error : 'something that is no answer';
  const hint = SLACK_ERROR_HINTS[code];
  if (!hint) return new ChannelError(`Slack could not do it (${code}).`);
  const scope = code === 'missing_scope' && needed ? ` Needed: ${needed}.` : '';
  return new ChannelError(`${hint.replace('%', target)}${scope} (Slack says ${code}.)`, {
    isPermanent: !FIXABLE_CODES.has(code),
  });
}

/** Runs the work, and turns Slack's errors into channel errors. */
export async function withSlackErrors<T>(host: string, target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toSlackChannelError(error, target, host);
  }
}

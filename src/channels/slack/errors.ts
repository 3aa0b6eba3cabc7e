import {
  SlackError,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { ChannelError } from '#channels/channel';

const TOKEN_REJECTED =
  'Slack rejected the bot token. Copy it again from OAuth & Permissions of the Slack app into SLACK_BOT_TOKEN.';
const POSTING_RESTRICTED =
  'The workspace does not allow the bot to post there. Ask a workspace admin, or choose another channel.';
const INVALID_MESSAGE = 'Slack rejected the message itself. This is a bug in Parley: please report it.';

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
  missing_scope: 'The bot is missing a scope. Add it under OAuth & Permissions and reinstall the app.',
  channel_not_found: 'The bot cannot find %. Check the name; if it is private, invite the bot with /invite.',
  not_in_channel: 'The bot is not in %. Invite it with /invite.',
  is_archived: '% is archived. Unarchive it, or choose another channel.',
  user_not_found: "The bot's workspace has no user %.",
  users_not_found: "No user in the bot's workspace has the email address of %.",
  user_disabled: '% is no longer in the workspace.',
  cannot_dm_bot: '% is a bot. Bots cannot receive messages.',
  messages_tab_disabled: 'The bot cannot send direct messages. Turn on the Messages Tab under App Home.',
  restricted_action: POSTING_RESTRICTED,
  restricted_action_read_only_channel: POSTING_RESTRICTED,
  restricted_action_non_threadable_channel: POSTING_RESTRICTED,
  restricted_action_thread_only_channel: POSTING_RESTRICTED,
  access_denied: POSTING_RESTRICTED,
  cant_update_message: 'The message belongs to another bot. Was the app reinstalled?',
  edit_window_closed: 'The workspace no longer allows editing this message.',
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
    return new ChannelError('Slack rate limit reached.', {
      retryAfterMs: error.retryAfter * 1_000,
    });
  if (error instanceof WebAPIPlatformError) return toPlatformChannelError(error, target);
  if (error instanceof WebAPIHTTPError) return new ChannelError(`Slack is unavailable (HTTP ${error.statusCode}).`);
  if (error instanceof WebAPIRequestError || error instanceof SlackError)
    return new ChannelError(
      `Can't reach Slack at ${host}. Check DNS, network and firewall, and SLACK_API_URL if it is set.`,
    );
  return error instanceof Error ? error : new Error(String(error));
}

function toPlatformChannelError({ data }: WebAPIPlatformError, target: string): ChannelError {
  const { error, needed } = data as { error: string; needed?: string };
  const code = /^\w{1,60}$/.test(error) ? error : 'unknown error';
  const hint = SLACK_ERROR_HINTS[code];
  if (!hint) return new ChannelError(`The request to Slack failed (${code}).`);
  const scope = code === 'missing_scope' && needed ? ` Needed: ${needed}.` : '';
  return new ChannelError(`${hint.replace('%', target)}${scope} (Slack error: ${code}.)`, {
    isPermanent: !FIXABLE_CODES.has(code),
  });
}

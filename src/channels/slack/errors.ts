import {
  SlackError,
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api';
import { ChannelError } from '#channels/channel';

type SlackErrorHint = [codes: RegExp, hint: string];

/** What is wrong and how to fix it, by error code. `%` stands for the target. */
const FIXABLE_ERRORS: SlackErrorHint[] = [
  [
    /^(invalid_auth|not_authed|token_\w+|account_inactive|no_permission|team_access_not_granted|not_allowed_token_type)$/,
    'Slack rejected the bot token. Copy it again from OAuth & Permissions of the Slack app into SLACK_BOT_TOKEN.',
  ],
  [
    /^(restricted_action\w*|access_denied)$/,
    'The workspace does not allow the bot to post there. Ask a workspace admin, or choose another channel.',
  ],
  [/^missing_scope$/, 'The bot is missing a scope. Add it under OAuth & Permissions and reinstall the app.'],
  [/^channel_not_found$/, 'The bot cannot find %. Check the name; if it is private, invite the bot with /invite.'],
  [/^not_in_channel$/, 'The bot is not in %. Invite it with /invite.'],
  [/^is_archived$/, '% is archived. Unarchive it, or choose another channel.'],
  [/^messages_tab_disabled$/, 'The bot cannot send direct messages. Turn on the Messages Tab under App Home.'],
];

const PERMANENT_ERRORS: SlackErrorHint[] = [
  [/^user_not_found$/, "The bot's workspace has no user %."],
  [/^users_not_found$/, "No user in the bot's workspace has the email address of %."],
  [/^user_disabled$/, '% is no longer in the workspace.'],
  [/^cannot_dm_bot$/, '% is a bot. Bots cannot receive messages.'],
  [/^cant_update_message$/, 'The message belongs to another bot. Was the app reinstalled?'],
  [/^edit_window_closed$/, 'The workspace no longer allows editing this message.'],
  [
    /^(invalid_(blocks|arguments|metadata)\w*|msg_\w*too_long|metadata_too_large)$/,
    'Slack rejected the message itself. This is a bug in Parley: please report it.',
  ],
];

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
  const hintIn = (hints: SlackErrorHint[]) => hints.find(([codes]) => codes.test(code))?.[1];
  const permanentHint = hintIn(PERMANENT_ERRORS);
  const hint = permanentHint ?? hintIn(FIXABLE_ERRORS);
  if (!hint) return new ChannelError(`The request to Slack failed (${code}).`);
  const scope = code === 'missing_scope' && needed ? ` Needed: ${needed}.` : '';
  return new ChannelError(`${hint.replace('%', target)}${scope} (Slack error: ${code}.)`, {
    isPermanent: permanentHint !== undefined,
  });
}

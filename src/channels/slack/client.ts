import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import type { SlackSettings } from '#channels/slack/settings';

/** The identity of the bot and its workspace. */
export interface SlackBotIdentity {
  team: string;
  user: string;
  bot: string;
  /** The display names of the bot and its workspace. */
  name: string;
  workspace: string;
  /** Granted scopes; empty if Slack does not report them. */
  scopes: string[];
}

export interface SlackClient {
  web: WebClient;
  /** The host of the Slack API. */
  host: string;
  /** Fetched once and cached, unless it fails. */
  self(): Promise<SlackBotIdentity>;
}

/** Silences Slack's own client, which prints to the console. Thrown errors say what went wrong. */
const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** Creates a Slack client that never retries, since the caller decides when to try again. */
export function createSlackClient({ token, apiUrl }: SlackSettings, timeout: number): SlackClient {
  const web = new WebClient(token, {
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    logger: silentLogger,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    timeout,
  });
  let identity: Promise<SlackBotIdentity> | undefined;
  return {
    web,
    host: apiUrl ? new URL(apiUrl).host : 'slack.com',
    self() {
      identity ??= fetchBotIdentity(web).catch((error: unknown) => {
        identity = undefined;
        throw error;
      });
      return identity;
    },
  };
}

async function fetchBotIdentity(web: WebClient): Promise<SlackBotIdentity> {
  const response = await web.auth.test();
  const { team_id = '', user_id = '', bot_id = '', user = '', team = '', response_metadata } = response;
  const { scopes = [] } = response_metadata ?? {};
  return { team: team_id, user: user_id, bot: bot_id, name: user, workspace: team, scopes };
}

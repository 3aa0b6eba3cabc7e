import { type Logger, LogLevel, WebClient } from '@slack/web-api';
import type { SlackSettings } from '#channels/slack/settings';

/** Who the bot is, and where. */
export interface SlackBotIdentity {
  team: string;
  user: string;
  bot: string;
  /** The name it goes by, and that of its workspace, for people. */
  name: string;
  workspace: string;
  /** What it may do; empty where Slack does not say. */
  scopes: string[];
}

export interface SlackClient {
  web: WebClient;
  /** Where it is reached. */
  host: string;
  /** Asked once, and again where that failed. */
  self(): Promise<SlackBotIdentity>;
}

/** Slack's own client prints; what went wrong is told by what is thrown. */
const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  setLevel: () => undefined,
  getLevel: () => LogLevel.ERROR,
  setName: () => undefined,
};

/** The way to Slack. It tries once: whoever calls knows when to try again. */
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

import { z } from 'zod';

export const SlackEnvironment = z.object({
  SLACK_BOT_TOKEN: z.string().startsWith('xoxb-', 'must be a bot token (xoxb-…)').optional(),
  SLACK_SIGNING_SECRET: z.string().min(16, 'must be the signing secret from Basic Information').optional(),
  SLACK_API_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
});

export interface SlackSettings {
  token: string;
  signingSecret: string;
  apiUrl: string | undefined;
}

export function readSlackSettings({
  SLACK_BOT_TOKEN: token,
  SLACK_SIGNING_SECRET: signingSecret,
  SLACK_API_URL: apiUrl,
}: z.infer<typeof SlackEnvironment>): SlackSettings | undefined {
  return token && signingSecret ? { token, signingSecret, apiUrl } : undefined;
}

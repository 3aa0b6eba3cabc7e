import { z } from 'zod';
import { ApiKeyName, EMAIL_PATTERN } from './permissions';

/** Somebody who is asked: by the name that `assignees` and keys have, and where else they are known. */
export interface Person {
  name: string;
  emails: string[];
  slack: { team: string; user: string }[];
}

const SLACK_USER_PATTERN = /^slack:([TE][A-Z0-9]{2,20})\/([UW][A-Z0-9]{2,20})$/;

const PersonEntry = z.string().transform((entry, context): Person => {
  const [name = '', addresses = '', ...rest] = entry.split('=');
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message: `${JSON.stringify(entry)}: ${message}` });
    return z.NEVER;
  };
  const parsedName = ApiKeyName.safeParse(name);
  if (rest.length > 0 || addresses === '') return fail('write name=address,slack:TEAM/USER');
  if (!parsedName.success) return fail(parsedName.error.issues[0]?.message ?? '');
  const person: Person = { name, emails: [], slack: [] };
  for (const address of addresses.split(',')) {
    const [, team, user] = SLACK_USER_PATTERN.exec(address) ?? [];
    if (team && user) person.slack.push({ team, user });
    else if (EMAIL_PATTERN.test(address)) person.emails.push(address.toLowerCase());
    else
      return fail(
        `${JSON.stringify(address)} is neither an e-mail address nor slack:TEAM/USER, as in slack:T0123/U0456`,
      );
  }
  return person;
});

/** `PARLEY_PEOPLE`: entries with white space or semicolons between. An address or a Slack user stands for one person. */
export const PeopleList = z
  .string()
  .transform((text) => text.split(/[\s;]+/).filter((entry) => entry !== ''))
  .pipe(
    z
      .array(PersonEntry)
      .refine((people) => hasUniqueValues(people.map(({ name }) => name)), 'has one name in two entries')
      .refine(
        (people) =>
          hasUniqueValues(
            people.flatMap(({ emails, slack }) => [...emails, ...slack.map((slackUser) => JSON.stringify(slackUser))]),
          ),
        'has one address or Slack user in two entries',
      ),
  );

function hasUniqueValues(values: string[]): boolean {
  return new Set(values).size === values.length;
}

/** As Standard Webhooks writes them: at least 24 bytes in base64. */
export const WEBHOOK_SECRET_PATTERN = /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}={0,2}|[A-Za-z0-9+/]{3}=?)?$/;

/** The secrets of the receivers at and below an address, newest first; `*` for all that have none of their own. */
export interface WebhookEndpointSecrets {
  endpoint: string;
  secrets: string[];
}

const WebhookSecretEntry = z.string().transform((entry, context): WebhookEndpointSecrets => {
  const separatorIndex = entry.indexOf('=whsec_');
  const endpoint = entry.slice(0, Math.max(0, separatorIndex));
  const secrets = separatorIndex < 0 ? [] : entry.slice(separatorIndex + 1).split(',');
  const fail = (message: string) => {
    // Never the entry itself: it holds secrets.
    context.addIssue({
      code: 'custom',
      message: `${URL.canParse(endpoint) ? endpoint : 'an entry'}: ${message}`,
    });
    return z.NEVER;
  };
  if (secrets.length === 0) return fail('write address=whsec_…, with the newest secret first and commas between');
  if (endpoint !== '*' && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)))
    return fail(
      'the first part is the address of a receiver, as https://hooks.example.com/parley, or * for all others',
    );
  if (secrets.some((secret) => !WEBHOOK_SECRET_PATTERN.test(secret)))
    return fail('a secret is whsec_ and at least 24 bytes in base64');
  return { endpoint, secrets };
});

const WebhookSecrets = z
  .string()
  .transform((text) => text.split(/[\s;]+/).filter((entry) => entry !== ''))
  .pipe(z.array(WebhookSecretEntry));

const SenderAddress = z
  .string()
  .regex(/^(?:[^<>"\r\n]*<)?[^\s@<>"]+@[^\s@<>"]+>?$/, 'must be an address, as in Parley <parley@example.com>');

/** What the environment says of channels; each is there when it is set. */
export const ChannelEnvironment = z.object({
  PARLEY_PEOPLE: PeopleList.optional(),
  PARLEY_WEBHOOK_SECRETS: WebhookSecrets.optional(),
  SLACK_BOT_TOKEN: z.string().startsWith('xoxb-', 'must be the token of the bot, which begins with xoxb-').optional(),
  SLACK_SIGNING_SECRET: z.string().min(16, 'is shown under Basic Information of the Slack app').optional(),
  SLACK_API_URL: z.url({ protocol: /^https?$/, error: 'must be a web address' }).optional(),
  PARLEY_SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must be an address with smtp:// or smtps://' }).optional(),
  PARLEY_EMAIL_FROM: SenderAddress.optional(),
  PARLEY_EMAIL_REPLY_TO: z
    .string()
    .regex(/^[^\s@<>"+]+@[^\s@<>"]+$/, 'must be an address with no + in it, as in reply@in.example.com')
    .optional(),
  PARLEY_EMAIL_SECRET: z.string().min(16, 'must be at least 16 characters').optional(),
});
type ChannelEnvironmentValues = z.infer<typeof ChannelEnvironment>;

/** What goes together: one without the other does nothing. */
export const REQUIRED_TOGETHER: [
  present: keyof ChannelEnvironmentValues,
  required: keyof ChannelEnvironmentValues,
  reason: string,
][] = [
  ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'Slack messages have buttons, and clicks are taken only if signed'],
  ['SLACK_SIGNING_SECRET', 'SLACK_BOT_TOKEN', 'clicks in Slack come from messages that the bot sent'],
  ['PARLEY_SMTP_URL', 'PARLEY_EMAIL_FROM', 'mail has to come from somebody'],
  ['PARLEY_EMAIL_FROM', 'PARLEY_SMTP_URL', 'mail goes out by SMTP'],
  ['PARLEY_EMAIL_REPLY_TO', 'PARLEY_EMAIL_SECRET', 'replies come in by a webhook, which has to show that it may'],
];

export interface SlackSettings {
  token: string;
  signingSecret: string;
  apiUrl: string | undefined;
}

export interface EmailSettings {
  smtpUrl: string;
  from: string;
  /** Where replies go, which answer. Without it they go to `from`, and nobody reads them. */
  replyTo: string | undefined;
  /** What the mail service shows when it hands a reply over. */
  inboundSecret: string | undefined;
}

export interface ChannelSettings {
  people: Person[];
  webhookSecrets: WebhookEndpointSecrets[];
  slack: SlackSettings | undefined;
  email: EmailSettings | undefined;
}

export function readChannelSettings(values: ChannelEnvironmentValues): ChannelSettings {
  const { SLACK_BOT_TOKEN: token, SLACK_SIGNING_SECRET: signingSecret } = values;
  const { PARLEY_SMTP_URL: smtpUrl, PARLEY_EMAIL_FROM: from } = values;
  return {
    people: values.PARLEY_PEOPLE ?? [],
    webhookSecrets: values.PARLEY_WEBHOOK_SECRETS ?? [],
    slack: token && signingSecret ? { token, signingSecret, apiUrl: values.SLACK_API_URL } : undefined,
    email:
      smtpUrl && from
        ? { smtpUrl, from, replyTo: values.PARLEY_EMAIL_REPLY_TO, inboundSecret: values.PARLEY_EMAIL_SECRET }
        : undefined,
  };
}

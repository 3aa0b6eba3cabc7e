import { readConfig } from '#channels/read-config';

const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

const configErrorOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the settings of channels', () => {
  it('are all absent by default', () => {
    expect(readConfig({}).channels).toEqual({
      people: [],
      byName: { inbox: {}, log: {}, webhook: { endpointSecrets: [] } },
      answerNames: ['slack', 'email'],
    });
  });

  it('are parsed', () => {
    const { channels } = readConfig({
      PARLEY_PEOPLE: 'maria=Maria@Example.com,slack:T012/U034; joe=joe@example.com',
      PARLEY_WEBHOOK_SECRETS: `https://a.example.com/hook=${NEW},${OLD} *=${OLD}`,
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: '0123456789abcdef',
      PARLEY_SMTP_URL: 'smtps://user:pass@mail.example.com',
      PARLEY_EMAIL_FROM: 'Parley <parley@example.com>',
      PARLEY_EMAIL_REPLY_TO: 'reply@in.example.com',
      PARLEY_EMAIL_SECRET: '0123456789abcdef',
    });
    expect(channels.people).toEqual([
      { name: 'maria', emails: ['maria@example.com'], slack: [{ team: 'T012', user: 'U034' }] },
      { name: 'joe', emails: ['joe@example.com'], slack: [] },
    ]);
    expect(channels.byName.webhook).toEqual({
      endpointSecrets: [
        { endpoint: 'https://a.example.com/hook', secrets: [NEW, OLD] },
        { endpoint: '*', secrets: [OLD] },
      ],
    });
    expect(channels.byName.slack).toEqual({
      token: 'xoxb-1',
      signingSecret: '0123456789abcdef',
      apiUrl: undefined,
    });
    expect(channels.byName.email).toMatchObject({
      from: 'Parley <parley@example.com>',
      replyTo: 'reply@in.example.com',
    });
  });

  it.each([
    [{ PARLEY_PEOPLE: 'maria' }, 'PARLEY_PEOPLE: "maria": must be name=address,slack:TEAM/USER'],
    [{ PARLEY_PEOPLE: 'maria=here' }, '"here" must be an email address or slack:TEAM/USER'],
    [{ PARLEY_PEOPLE: 'a=x@y.z b=x@y.z' }, 'PARLEY_PEOPLE: has the same address or Slack user in two entries'],
    [{ PARLEY_PEOPLE: 'a=x@y.z a=y@y.z' }, 'PARLEY_PEOPLE: has two entries with the same name'],
    [{ PARLEY_WEBHOOK_SECRETS: 'https://a.example.com' }, 'an entry: write URL=whsec_…'],
    [{ PARLEY_WEBHOOK_SECRETS: `ftp://a.example=${OLD}` }, 'start with a receiver URL'],
    [{ PARLEY_WEBHOOK_SECRETS: 'https://a.example.com=whsec_short' }, 'https://a.example.com: a secret must be whsec_'],
    [{ SLACK_BOT_TOKEN: 'xoxp-1' }, 'SLACK_BOT_TOKEN: must be a bot token (xoxb-…)'],
    [{ SLACK_BOT_TOKEN: 'xoxb-1' }, 'SLACK_SIGNING_SECRET: is required with SLACK_BOT_TOKEN'],
    [{ PARLEY_SMTP_URL: 'smtp://mail' }, 'PARLEY_EMAIL_FROM: is required with PARLEY_SMTP_URL'],
    [{ PARLEY_SMTP_URL: 'http://mail' }, 'PARLEY_SMTP_URL: must be an smtp:// or smtps:// URL'],
    [{ PARLEY_EMAIL_REPLY_TO: 'reply@x.y' }, 'PARLEY_EMAIL_SECRET: is required with PARLEY_EMAIL_REPLY_TO'],
    [{ PARLEY_EMAIL_REPLY_TO: 'a+b@x.y' }, 'PARLEY_EMAIL_REPLY_TO: must be an email address without +'],
  ])('are rejected if invalid: %j', (env, expectedMessage) => {
    expect(configErrorOf(env as Record<string, string>)).toContain(expectedMessage);
  });

  it('are reported with all other errors at once, without secrets', () => {
    const message = configErrorOf({
      PORT: 'x',
      SLACK_BOT_TOKEN: 'xoxb-1',
      PARLEY_WEBHOOK_SECRETS: 'https://a.b=whsec_hidden',
    });
    expect(message).toContain('PORT:');
    expect(message).toContain('SLACK_SIGNING_SECRET:');
    expect(message).toContain('PARLEY_WEBHOOK_SECRETS:');
    expect(message).not.toContain('hidden');
  });
});

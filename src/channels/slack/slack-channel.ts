import type { Channel } from '#channels/channel';
import { findPersonNameByEmail } from '#channels/people';
import type { Person } from '#contract/people';
import { CHANNEL_LABELS } from '#presentation/labels';
import { createSlackRoutes } from './inbound/router';
import { createSlackSender } from './sender';
import { readSlackSettings, SlackEnvironment, type SlackSettings } from './settings';

/** Sends messages with buttons and forms to Slack, which people can answer there. */
export const slackChannel: Channel<SlackSettings> = {
  name: 'slack',
  target: {
    pattern: /^(#[^\s#@<>&,:]{1,80}|@[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}|[CGD][A-Z0-9]{7,20})$/,
    example: 'a channel as #ops, the id of one, or a person as @maria',
    forms: ['#channel', '@person'],
  },
  label: CHANNEL_LABELS.slack,
  environment: SlackEnvironment,
  requires: [
    ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'Slack messages have buttons, and clicks are taken only if signed'],
    ['SLACK_SIGNING_SECRET', 'SLACK_BOT_TOKEN', 'clicks in Slack come from messages that the bot sent'],
  ],
  readSettings: readSlackSettings,
  setupVariables: ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'],
  createSender: (settings, { people }) => createSlackSender(settings, people),
  createInboundRoutes: createSlackRoutes,
  findPersonAt,
  test: {
    describeInbound: (_settings, publicUrl) => [
      `Slack has to call ${publicUrl}/slack/interactions and ${publicUrl}/slack/events`,
    ],
  },
};

function findPersonAt(target: string, people: readonly Person[]): string | undefined {
  if (!target.startsWith('@')) return undefined;
  const name = target.slice(1);
  if (name.includes('@')) return findPersonNameByEmail(people, name);
  // A Slack user id names a person only if PARLEY_PEOPLE lists it.
  return /^[UW][A-Z0-9]{7,}$/.test(name)
    ? people.find(({ slack }) => slack.some(({ user }) => user === name))?.name
    : name;
}

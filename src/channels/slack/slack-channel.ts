import type { Channel } from '#channels/channel';
import { findPersonNameByEmail } from '#channels/people';
import type { Person } from '#contract/people';
import { createSlackRoutes } from './inbound/router';
import { createSlackSender } from './sender';
import { readSlackSettings, SlackEnvironment, type SlackSettings } from './settings';

/** Sends messages with buttons and forms to Slack, which people can answer there. */
export const slackChannel: Channel<SlackSettings> = {
  name: 'slack',
  target: {
    pattern: /^(#[^\s#@<>&,:]{1,80}|@[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}|[CGD][A-Z0-9]{7,20})$/,
    example: 'a channel such as #ops, a channel ID, or a person such as @maria',
    forms: ['#channel', '@person'],
  },
  label: 'Slack',
  environment: SlackEnvironment,
  requires: [
    ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET', 'clicks on Slack buttons are verified with it'],
    ['SLACK_SIGNING_SECRET', 'SLACK_BOT_TOKEN', 'the bot sends the messages that people click in'],
  ],
  readSettings: readSlackSettings,
  setupVariables: ['SLACK_BOT_TOKEN', 'SLACK_SIGNING_SECRET'],
  createSender: (settings, { people }) => createSlackSender(settings, people),
  createInboundRoutes: createSlackRoutes,
  findPersonAt,
  test: {
    describeInbound: (_settings, publicUrl) => [
      `Set the Slack app's request URLs to ${publicUrl}/slack/interactions and ${publicUrl}/slack/events`,
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

import { existsSync } from 'node:fs';
import path from 'node:path';
import { type AgentsByName, loadAgents } from '#agents/load-agents';
import { listNotificationTargets } from '#agents/validation/warnings';
import type { Channel } from '#channels/channel';
import { createChannels } from '#channels/registry';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { resolveWebhookSecrets } from '#channels/webhook/signing-secrets';
import type { AdminHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { Destination } from '#contract/notification';
import { channelName, channelTarget } from '#core/questions/notifications';
import { type Config, ConfigError, readConfig } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import { createLog } from '#infra/log';
import { isLoopbackUrl } from '#infra/loopback';
import { builtInTools } from '#tools/registry';

/** The result of a test of one destination. `hasPassed` is undefined if there was nothing to test. */
interface ChannelTestResult {
  destination: string;
  hasPassed: boolean | undefined;
  message: string;
}

/** What to print for a channel that cannot be tested. */
const CHANNEL_NOTES: Record<string, string> = {
  inbox: 'always there: every open question is in the web app',
  log: 'always there: the log of the worker',
  webhook: 'always there: to the callbackUrl of a conversation, or of its agent',
  slack: 'not set up: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET',
  email: 'not set up: set PARLEY_SMTP_URL and PARLEY_EMAIL_FROM',
};

/** Sends a test to each destination, one after the other, so that the results are in order. */
async function testDestinations(channels: readonly Channel[], destinations: string[]): Promise<ChannelTestResult[]> {
  const results: ChannelTestResult[] = [];
  for (const destination of destinations) results.push(await testDestination(channels, destination));
  return results;
}

async function testDestination(channels: readonly Channel[], destination: string): Promise<ChannelTestResult> {
  const name = channelName(destination);
  const channel = channels.find((candidate) => candidate.name === name);
  if (!channel) return { destination, hasPassed: false, message: CHANNEL_NOTES[name] ?? 'there is no such channel' };
  if (!channel.test) return { destination, hasPassed: undefined, message: CHANNEL_NOTES[name] ?? 'there' };
  try {
    return { destination, hasPassed: true, message: await channel.test(channelTarget(destination)) };
  } catch (error) {
    return { destination, hasPassed: false, message: (error as Error).message };
  }
}

/** Tests the channels that no destination uses, as far as that is possible without one. */
async function testOtherChannels(channels: readonly Channel[], destinations: string[]): Promise<ChannelTestResult[]> {
  const testedChannels = new Set(destinations.map(channelName));
  const untestedChannels = Object.entries(CHANNEL_NOTES).filter(([name]) => !testedChannels.has(name));
  const isTestable = (name: string) => name !== 'webhook' && channels.some((channel) => channel.name === name);
  const results = untestedChannels.map(async ([name, note]) =>
    isTestable(name) ? testDestination(channels, name) : { destination: name, hasPassed: undefined, message: note },
  );
  return Promise.all(results);
}

interface Options {
  secret?: string;
}

/** Sends a test by every channel, to the named places or to those of the agents. */
export const runTestChannels: AdminHandler<Options> = async ({ terminal, env }, { args, options }) => {
  const config = readConfig(env);
  if (options.secret !== undefined) {
    terminal.print(...formatWebhookSecret(options.secret, config));
    return EXIT.completed;
  }
  const httpClient = createHttpClient({ internalHosts: listAllowedInternalHosts(config) });
  const channels = createChannels({
    settings: config.channels,
    secret: loadOrCreateSecret(config.secret, config.dataFolder),
    httpClient,
    log: createLog('warn'),
    allowAnyone: !config.apiKeys,
  });
  const isNamed = args.length > 0;
  const destinations = isNamed
    ? args.map(parseDestination)
    : listAgentDestinations(loadAgents(config.agentsFolder, builtInTools));
  const results = await testDestinations(channels, destinations);
  if (!isNamed) results.push(...(await testOtherChannels(channels, destinations)));
  await httpClient.close();
  terminal.print('', ...results.map(formatTestResult), ...describeInboundSetup(config), '');
  return results.some(({ hasPassed }) => hasPassed === false) ? EXIT.failed : EXIT.completed;
};

/** Describes what no test can check from here: whether clicks and replies reach Parley. */
function describeInboundSetup({ publicUrl, channels: { slack, email } }: Config): string[] {
  if (!slack && !email) return [];
  if (!publicUrl || isLoopbackUrl(publicUrl))
    return [
      `  ! PARLEY_PUBLIC_URL is ${publicUrl ?? 'not set'}: links in messages lead to the machine of whoever opens them.`,
    ];
  return [
    ...(slack ? [`  · Slack has to call ${publicUrl}/slack/interactions and ${publicUrl}/slack/events`] : []),
    ...(email?.replyTo ? [`  · What comes for ${email.replyTo} has to be posted to ${publicUrl}/email/inbound`] : []),
  ];
}

function formatTestResult({ destination, hasPassed, message }: ChannelTestResult): string {
  const mark = hasPassed === undefined ? '·' : hasPassed ? '✓' : '✗';
  return `  ${mark} ${destination}: ${message}`;
}

const WEBHOOK_DESTINATION = /^webhook:(https?:\/\/\S+)$/;

function parseDestination(destination: string): string {
  if (WEBHOOK_DESTINATION.test(destination)) return destination;
  const { success, error } = Destination.safeParse(destination);
  if (success && destination !== 'webhook') return destination;
  throw new ConfigError(
    destination === 'webhook'
      ? 'Say which receiver, as in webhook:https://hooks.example.com/parley.'
      : `${error?.issues[0]?.message}.`,
  );
}

/** Every destination that the agent files name, callback URLs included. */
function listAgentDestinations(agents: AgentsByName): string[] {
  const all = [...agents.values()].flatMap((agent) => [
    ...listNotificationTargets(agent).filter((destination) => destination !== 'webhook'),
    ...(agent.callbackUrl ? [`webhook:${agent.callbackUrl}`] : []),
  ]);
  return [...new Set(all)].filter((destination) => !['inbox', 'log'].includes(destination));
}

/** Refuses to create a secret here: a new one would not match the signatures made with the real one. */
function formatWebhookSecret(url: string, config: Config): string[] {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new ConfigError('--secret takes the address of a receiver.');
  if (!config.secret && !existsSync(path.join(config.dataFolder, 'secret')))
    throw new ConfigError(
      'There is no secret here yet. Run this where Parley runs, with its PARLEY_DATA or PARLEY_SECRET; in containers:\n' +
        '  docker compose exec worker node dist/src/cli/main.js admin channels --secret …',
    );
  const secret = loadOrCreateSecret(config.secret, config.dataFolder);
  const [newest, ...older] = resolveWebhookSecrets(url, config.channels.webhookSecrets, secret);
  const olderNote = '  and, while that is being changed, with the one before it, too.';
  return [
    '',
    `  Webhooks to ${url} are signed with`,
    '',
    `    ${newest}`,
    '',
    ...(older.length > 0 ? [olderNote, ''] : []),
  ];
}

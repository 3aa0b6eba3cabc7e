import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type AgentsByName, InvalidAgentsError, loadAgents } from '#agents/load-agents';
import { listNotificationTargets } from '#agents/validation/warnings';
import type { Channel } from '#channels/channel';
import { createChannels } from '#channels/registry';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { resolveWebhookSecrets } from '#channels/webhook/signing-secrets';
import { Destination } from '#contract/notification';
import { channelName, channelTarget } from '#core/questions/notifications';
import { type Config, ConfigError, readConfig } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import { createLog } from '#infra/log';
import { builtInTools } from '#tools/registry';

/** How a trial of one place went; `undefined` where there was nothing to try. */
interface ChannelTestResult {
  destination: string;
  isGood: boolean | undefined;
  said: string;
}

/** What there is to know of a channel that cannot be tried. */
const CHANNEL_NOTES: Record<string, string> = {
  inbox: 'always there: every open question is in the web app',
  log: 'always there: the log of the worker',
  webhook: 'always there: to the callbackUrl of a conversation, or of its agent',
  slack: 'not set up: set SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET',
  email: 'not set up: set PARLEY_SMTP_URL and PARLEY_EMAIL_FROM',
};

/** Send a test to each place, one after the other, so that what is said stands in order. */
async function testDestinations(channels: readonly Channel[], destinations: string[]): Promise<ChannelTestResult[]> {
  const trials: ChannelTestResult[] = [];
  for (const destination of destinations) trials.push(await testDestination(channels, destination));
  return trials;
}

async function testDestination(channels: readonly Channel[], destination: string): Promise<ChannelTestResult> {
  const name = channelName(destination);
  const channel = channels.find((one) => one.name === name);
  if (!channel) return { destination, isGood: false, said: CHANNEL_NOTES[name] ?? 'there is no such channel' };
  if (!channel.test) return { destination, isGood: undefined, said: CHANNEL_NOTES[name] ?? 'there' };
  try {
    return { destination, isGood: true, said: await channel.test(channelTarget(destination)) };
  } catch (error) {
    return { destination, isGood: false, said: (error as Error).message };
  }
}

/** The channels that none of these places is on: each as far as it can be tried without one. */
async function testOtherChannels(channels: readonly Channel[], destinations: string[]): Promise<ChannelTestResult[]> {
  const tried = new Set(destinations.map(channelName));
  const rest = Object.entries(CHANNEL_NOTES).filter(([name]) => !tried.has(name));
  const isTried = (name: string) => name !== 'webhook' && channels.some((channel) => channel.name === name);
  const trials = rest.map(async ([name, said]) =>
    isTried(name) ? testDestination(channels, name) : { destination: name, isGood: undefined, said },
  );
  return Promise.all(trials);
}

const USAGE = `Sends a test by every channel to the places that the agents' files name, and says what is wrong where it fails.

  npm run channels
  npm run channels -- slack:#ops email:you@example.com webhook:https://hooks.example.com/parley
  npm run channels -- --secret https://hooks.example.com/parley   shows what that receiver checks signatures with`;

async function testChannels(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { secret: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const config = readConfig();
  if (values.secret !== undefined) return printWebhookSecret(values.secret, config);
  const secret = loadOrCreateSecret(config.secret, config.data);
  const network = createHttpClient({ internal: listAllowedInternalHosts(config) });
  const channels = createChannels({
    settings: config.channels,
    secret,
    network,
    log: createLog('warn'),
    isOpen: !config.keys,
  });
  const destinations =
    positionals.length > 0 ? positionals.map(parseDestination) : listAgentDestinations(loadConfiguredAgents(config));
  const asked = await testDestinations(channels, destinations);
  // Whoever asks for some places is told of those.
  const rest = positionals.length > 0 ? [] : await testOtherChannels(channels, destinations);
  await network.close();
  console.log(`\n${[...[...asked, ...rest].map(formatTestResult), ...describeInboundSetup(config)].join('\n')}\n`);
  if ([...asked, ...rest].some(({ isGood }) => isGood === false)) process.exitCode = 1;
}

/** What no test can see from here: whether people's clicks and replies find their way back. */
function describeInboundSetup({ publicUrl, channels: { slack, email } }: Config): string[] {
  if (!slack && !email) return [];
  if (!publicUrl || LOOPBACK_HOST.test(new URL(publicUrl).hostname))
    return [
      `  ! PARLEY_PUBLIC_URL is ${publicUrl ?? 'not set'}: links in messages lead to the machine of whoever opens them.`,
    ];
  return [
    ...(slack ? [`  · Slack has to call ${publicUrl}/slack/interactions and ${publicUrl}/slack/events`] : []),
    ...(email?.replyTo ? [`  · What comes for ${email.replyTo} has to be posted to ${publicUrl}/email/inbound`] : []),
  ];
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function formatTestResult({ destination, isGood, said }: ChannelTestResult): string {
  const mark = isGood === undefined ? '·' : isGood ? '✓' : '✗';
  return `  ${mark} ${destination}: ${said}`;
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

/** Everywhere the agents tell somebody; the callback by its address. */
function listAgentDestinations(agents: AgentsByName): string[] {
  const all = [...agents.values()].flatMap((agent) => [
    ...listNotificationTargets(agent).filter((destination) => destination !== 'webhook'),
    ...(agent.callbackUrl ? [`webhook:${agent.callbackUrl}`] : []),
  ]);
  return [...new Set(all)].filter((destination) => !['inbox', 'log'].includes(destination));
}

function loadConfiguredAgents(config: Config): AgentsByName {
  return loadAgents(config.agents, builtInTools);
}

/** One that is made here and now is nobody's: what was signed before was signed with another. */
function printWebhookSecret(url: string, config: Config): void {
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new ConfigError('--secret takes the address of a receiver.');
  if (!config.secret && !existsSync(path.join(config.data, 'secret')))
    throw new ConfigError(
      'There is no secret here yet. Run this where Parley runs, with its PARLEY_DATA or PARLEY_SECRET; in containers:\n' +
        '  docker compose exec worker node dist/src/cli/admin/channels.js --secret …',
    );
  const secret = loadOrCreateSecret(config.secret, config.data);
  const [newest, ...older] = resolveWebhookSecrets(url, config.channels.webhookSecrets, secret);
  console.log(`\n  Webhooks to ${url} are signed with\n\n    ${newest}\n`);
  if (older.length > 0) console.log('  and, while that is being changed, with the one before it, too.\n');
}

testChannels().catch((error: unknown) => {
  const isOurs = error instanceof ConfigError || error instanceof InvalidAgentsError;
  console.error(isOurs ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = isOurs ? 1 : 2;
});

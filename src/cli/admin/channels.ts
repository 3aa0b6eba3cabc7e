import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadAgents } from '#agents/load-agents';
import { readConfig } from '#channels/read-config';
import { CHANNELS, createSenders } from '#channels/registry';
import {
  type ChannelTestResult,
  findTestDestinationIssue,
  listTestDestinations,
  testDestinations,
  testOtherChannels,
} from '#channels/test-send';
import { listAllowedInternalHosts } from '#channels/webhook/allowed-receivers';
import { resolveWebhookSecrets } from '#channels/webhook/signing-secrets';
import { type WebhookSettings, webhookChannel } from '#channels/webhook/webhook-channel';
import type { AdminHandler } from '#cli/context';
import { EXIT } from '#cli/errors';
import { type Config, ConfigError } from '#infra/config';
import { loadOrCreateSecret } from '#infra/crypto/load-or-create-secret';
import { createHttpClient } from '#infra/http-client/client';
import { createLog } from '#infra/log';
import { isLoopbackUrl } from '#infra/loopback';
import { builtInTools } from '#tools/registry';

interface Options {
  secret?: string;
}

/** Sends a test message through every channel, to the given destinations or to those of the agents. */
export const runTestChannels: AdminHandler<Options> = async ({ terminal, env }, { args, options }) => {
  const config = readConfig(env);
  if (options.secret !== undefined) {
    terminal.print(...formatWebhookSecret(options.secret, config));
    return EXIT.completed;
  }
  const httpClient = createHttpClient({ internalHosts: listAllowedInternalHosts(config) });
  const senders = createSenders(CHANNELS, config.channels, {
    secret: loadOrCreateSecret(config.secret, config.dataFolder),
    httpClient,
    log: createLog('warn'),
    allowAnyone: !config.apiKeys,
  });
  const isNamed = args.length > 0;
  const destinations = isNamed
    ? args.map(parseDestination)
    : listTestDestinations(CHANNELS, loadAgents(config.agentsFolder, builtInTools).values());
  const results = await testDestinations(CHANNELS, senders, destinations);
  if (!isNamed) results.push(...(await testOtherChannels(CHANNELS, senders, destinations)));
  await httpClient.close();
  terminal.print('', ...results.map(formatTestResult), ...describeInboundSetup(config), '');
  return results.some(({ hasPassed }) => hasPassed === false) ? EXIT.failed : EXIT.completed;
};

/** Describes what cannot be tested from here: whether clicks and replies reach Parley. */
function describeInboundSetup({ publicUrl, channels: { byName } }: Config): string[] {
  const inbound = CHANNELS.filter(({ name, createInboundRoutes }) => createInboundRoutes && byName[name]);
  if (inbound.length === 0) return [];
  if (!publicUrl || isLoopbackUrl(publicUrl))
    return [`  ! PARLEY_PUBLIC_URL is ${publicUrl ?? 'not set'}: links in messages work on this machine only.`];
  return inbound.flatMap(({ name, test }) =>
    (test?.describeInbound?.(byName[name], publicUrl) ?? []).map((sentence) => `  · ${sentence}`),
  );
}

function formatTestResult({ destination, hasPassed, message }: ChannelTestResult): string {
  const mark = hasPassed === undefined ? '·' : hasPassed ? '✓' : '✗';
  return `  ${mark} ${destination}: ${message}`;
}

function parseDestination(destination: string): string {
  const issue = findTestDestinationIssue(CHANNELS, destination);
  if (issue !== undefined) throw new ConfigError(issue);
  return destination;
}

/**
 * Returns the webhook secret of a receiver. Never creates a secret: a new one would not match signatures made with the
 * real one.
 */
function formatWebhookSecret(url: string, config: Config): string[] {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ConfigError('--secret must be the URL of a webhook receiver.');
  if (!config.secret && !existsSync(path.join(config.dataFolder, 'secret')))
    throw new ConfigError(
      'No secret found. Run this where Parley runs, with the same PARLEY_DATA or PARLEY_SECRET. In containers:\n' +
        '  docker compose exec worker node dist/src/cli/main.js admin channels --secret …',
    );
  const secret = loadOrCreateSecret(config.secret, config.dataFolder);
  const { endpointSecrets } = config.channels.byName[webhookChannel.name] as WebhookSettings;
  const [newest, ...older] = resolveWebhookSecrets(url, endpointSecrets, secret);
  const olderNote = '  During rotation, they are signed with the previous secret as well.';
  return [
    '',
    `  Webhooks to ${url} are signed with:`,
    '',
    `    ${newest}`,
    '',
    ...(older.length > 0 ? [olderNote, ''] : []),
  ];
}

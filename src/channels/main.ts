import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { destinationsOf } from '#agents/channel-warnings';
import { AgentFault, type Agents, readAgents } from '#agents/read-agents';
import { type Config, ConfigError, readConfig } from '#config';
import { Destination } from '#contract/telling';
import { keptSecret } from '#kept-secret';
import { createLog } from '#log';
import { createNetwork } from '#network/guarded';
import { secretsFor } from '#signing/webhook-secret';
import { builtIn } from '#tools/registry';
import { createChannels } from './channels';
import { type Trial, tryOut, tryRest } from './trial';
import { receiversInside } from './webhook/receivers';

const USAGE = `Sends a test by every channel to the places that the agents' files name, and says what is wrong where it fails.

  npm run channels
  npm run channels -- slack:#ops email:you@example.com webhook:https://hooks.example.com/parley
  npm run channels -- --secret https://hooks.example.com/parley   shows what that receiver checks signatures with`;

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { secret: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(USAGE);
  const config = readConfig();
  if (values.secret !== undefined) return showSecret(values.secret, config);
  const secret = keptSecret(config.secret, config.data);
  const network = createNetwork({ internal: receiversInside(config) });
  const channels = createChannels({
    settings: config.channels,
    secret,
    network,
    log: createLog('warn'),
    isOpen: !config.keys,
  });
  const destinations = positionals.length > 0 ? positionals.map(checked) : placesOf(agentsOf(config));
  const asked = await tryOut(channels, destinations);
  // Whoever asks for some places is told of those.
  const rest = positionals.length > 0 ? [] : await tryRest(channels, destinations);
  await network.close();
  console.log(`\n${[...[...asked, ...rest].map(line), ...toCheck(config)].join('\n')}\n`);
  if ([...asked, ...rest].some(({ isGood }) => isGood === false)) process.exitCode = 1;
}

/** What no test can see from here: whether people's clicks and replies find their way back. */
function toCheck({ publicUrl, channels: { slack, email } }: Config): string[] {
  if (!slack && !email) return [];
  if (!publicUrl || LOOPBACK.test(new URL(publicUrl).hostname))
    return [
      `  ! PARLEY_PUBLIC_URL is ${publicUrl ?? 'not set'}: links in messages lead to the machine of whoever opens them.`,
    ];
  return [
    ...(slack ? [`  · Slack has to call ${publicUrl}/slack/interactions and ${publicUrl}/slack/events`] : []),
    ...(email?.replyTo
      ? [`  · What comes for ${email.replyTo} has to be posted to ${publicUrl}/email/inbound`]
      : []),
  ];
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function line({ destination, isGood, said }: Trial): string {
  const mark = isGood === undefined ? '·' : isGood ? '✓' : '✗';
  return `  ${mark} ${destination}: ${said}`;
}

const TO_A_RECEIVER = /^webhook:(https?:\/\/\S+)$/;

function checked(destination: string): string {
  if (TO_A_RECEIVER.test(destination)) return destination;
  const { success, error } = Destination.safeParse(destination);
  if (success && destination !== 'webhook') return destination;
  throw new ConfigError(
    destination === 'webhook'
      ? 'Say which receiver, as in webhook:https://hooks.example.com/parley.'
      : `${error?.issues[0]?.message}.`,
  );
}

/** Everywhere the agents tell somebody; the callback by its address. */
function placesOf(agents: Agents): string[] {
  const all = [...agents.values()].flatMap((agent) => [
    ...destinationsOf(agent).filter((destination) => destination !== 'webhook'),
    ...(agent.callbackUrl ? [`webhook:${agent.callbackUrl}`] : []),
  ]);
  return [...new Set(all)].filter((destination) => !['inbox', 'log'].includes(destination));
}

function agentsOf(config: Config): Agents {
  return readAgents(config.agents, builtIn);
}

/** One that is made here and now is nobody's: what was signed before was signed with another. */
function showSecret(url: string, config: Config): void {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ConfigError('--secret takes the address of a receiver.');
  if (!config.secret && !existsSync(path.join(config.data, 'secret')))
    throw new ConfigError(
      'There is no secret here yet. Run this where Parley runs, with its PARLEY_DATA or PARLEY_SECRET; in containers:\n' +
        '  docker compose exec worker node dist/src/channels/main.js --secret …',
    );
  const secret = keptSecret(config.secret, config.data);
  const [newest, ...older] = secretsFor(url, config.channels.webhookSecrets, secret);
  console.log(`\n  Webhooks to ${url} are signed with\n\n    ${newest}\n`);
  if (older.length > 0) console.log('  and, while that is being changed, with the one before it, too.\n');
}

run().catch((error: unknown) => {
  const isOurs = error instanceof ConfigError || error instanceof AgentFault;
  console.error(isOurs ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = isOurs ? 1 : 2;
});

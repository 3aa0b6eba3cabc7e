import { parseArgs } from 'node:util';
import { destinationsOf } from '../agents/channel-warnings';
import { AgentFault, type Agents, readAgents } from '../agents/read-agents';
import { type Config, ConfigError, readConfig } from '../config';
import { Destination } from '../contract/telling';
import { keptSecret } from '../kept-secret';
import { createLog } from '../log';
import { createNetwork } from '../network/guarded';
import { secretsFor } from '../signing/webhook-secret';
import { builtIn } from '../tools/registry';
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
  const secret = keptSecret(config.secret, config.data);
  if (values.secret !== undefined) return showSecret(values.secret, config, secret);
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
  console.log(`\n${[...asked, ...rest].map(line).join('\n')}\n`);
  if ([...asked, ...rest].some(({ isGood }) => isGood === false)) process.exitCode = 1;
}

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

function showSecret(url: string, config: Config, secret: string): void {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new ConfigError('--secret takes the address of a receiver.');
  const [newest, ...older] = secretsFor(url, config.channels.webhookSecrets, secret);
  console.log(`\n  Webhooks to ${url} are signed with\n\n    ${newest}\n`);
  if (older.length > 0) console.log('  and, while that is being changed, with the one before it, too.\n');
}

run().catch((error: unknown) => {
  const isOurs = error instanceof ConfigError || error instanceof AgentFault;
  console.error(isOurs ? `\n${error.message}\n` : `${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = isOurs ? 1 : 2;
});

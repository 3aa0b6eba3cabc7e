import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '#config';
import { createLog, installRuntime } from '#log';
import { checkOpen, codeHere } from '#replay/check';
import { countOf } from '#replay/count';
import type { Place } from '#replay/main';
import { exitCode, inWords } from '#replay/report';
import { lazyClient } from '#temporal/connect';
import { troubleOf } from '#temporal/trouble';
import { TASK_QUEUE } from '#workflows/messages';
import { promote, Refused } from './promote';

const USAGE = `Makes a build the current one: its workers take up every conversation, parked ones too, at its next step.

  npm run promote -- BUILD             after a replay of the open conversations against the code here
  npm run promote -- BUILD --ramp 10   only a tenth of the conversations
  npm run promote -- --unversioned     the workers that run without PARLEY_BUILD_ID

  --deployment NAME  of PARLEY_DEPLOYMENT, or "parley"
  --no-replay        without the replay, as when going back to a build whose code is not here
  --sample N         replay only N of the open conversations, of all ages
  --wait SECONDS     for its workers to ask for work (30)
  --force            even if none does
  --task-queue NAME  if not "${TASK_QUEUE}"

Ends with 0 if it is done, with 1 if it was refused, and with 2 if it could not run. To go back, promote the older build.`;

function readArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      deployment: text,
      ramp: text,
      sample: text,
      wait: text,
      'task-queue': text,
      unversioned: flag,
      'no-replay': flag,
      force: flag,
      help: flag,
    },
  });
  if (!values.help && positionals.length !== (values.unversioned ? 0 : 1))
    throw new ConfigError('Say which build: one BUILD, or --unversioned.');
  return { ...values, buildId: positionals[0], sample: countOf('sample', values.sample) };
}

type Arguments = ReturnType<typeof readArguments>;

function number(name: string, given: string | undefined, most: number): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(given) || Number(given) > most)
    throw new ConfigError(`--${name} takes a number from 0 to ${most}.`);
  return Number(given);
}

/** The replay is of the code here: it says nothing about another build's. */
function refuseOther({ build }: Config, given: Arguments): void {
  if (given['no-replay'] || !build || build.buildId === given.buildId) return;
  throw new Refused(
    `This is build ${build.buildId} (PARLEY_BUILD_ID), so a replay here says nothing about ${given.buildId ?? 'workers without one'}. Run this from that build, or say --no-replay.`,
  );
}

async function replayFirst(
  config: Config,
  client: ReturnType<typeof lazyClient>,
  given: Arguments,
  { codeFor = codeHere, say }: Place,
) {
  if (given['no-replay']) return;
  const code = await codeFor(config.temporal.encryption);
  const report = await checkOpen(client, code, { sample: given.sample }, say);
  const words = inWords(report, `open in ${config.temporal.namespace}`);
  if (exitCode(report) !== 0)
    throw new Refused(`${words}\n\nNothing was changed. Mend it, or promote with --no-replay all the same.`);
  say(words);
}

async function run(args: string[], place: Place): Promise<void> {
  const given = readArguments(args);
  if (given.help) return place.print(USAGE);
  const config = readConfig(place.env);
  refuseOther(config, given);
  const wanted = {
    deploymentName:
      given.deployment ?? config.build?.deploymentName ?? config.environment.PARLEY_DEPLOYMENT ?? 'parley',
    buildId: given.buildId,
    percent: number('ramp', given.ramp, 100),
    isForced: given.force ?? false,
    taskQueue: given['task-queue'] ?? TASK_QUEUE,
    waitMs: 1_000 * (number('wait', given.wait, 3_600) ?? 30),
  };
  const client = lazyClient(config.temporal);
  try {
    await client.withDeadline(Date.now() + 5_000, () => client.workflowService.getSystemInfo({}));
    await replayFirst(config, client, given, place);
    for (const line of await promote(client, wanted, place.say)) place.print(line);
  } catch (error) {
    throw error instanceof Refused ? error : troubleOf(error, config.temporal);
  } finally {
    await client.connection.close();
  }
}

/** The command, with what comes after its name. Gives its exit code. */
export async function promoting(args: string[], place: Place): Promise<number> {
  try {
    await run(args, place);
    return 0;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    place.say(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${USAGE}` : message);
    return error instanceof Refused ? 1 : 2;
  }
}

if (require.main === module) {
  installRuntime(createLog('silent'));
  const place = { env: process.env, print: console.log, say: console.error };
  // Temporal's runtime would stay.
  void promoting(process.argv.slice(2), place).then((code) => process.exit(code));
}

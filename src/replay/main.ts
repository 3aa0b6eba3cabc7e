import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '#config';
import { createLog, installRuntime } from '#log';
import { lazyClient } from '#temporal/connect';
import { troubleOf } from '#temporal/trouble';
import { checkOpen, codeHere } from './check';
import { countOf } from './count';
import type { Choice } from './open';
import { filesIn, recordedIn } from './recorded';
import { replayAll } from './replaying';
import { exitCode, inWords, type Report, reportOn } from './report';

const USAGE = `Replays histories against the workflows of this build, and lists what would break on it.

  npm run replay -- --open             the open conversations of TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS
  npm run replay -- --open --limit 500    the newest 500 of them; --sample 500: 500 of all ages
  npm run replay -- --id ID            one conversation, open or not
  npm run replay -- FILE|FOLDER …      recorded histories: .pb.gz, or .json of \`temporal workflow show --output json\`

  --json   the same for programs: {replayed, unbegun, broken, locked}

Ends with 0 if all of them go on, with 1 if some would break, and with 2 if it could not tell.`;

/** Where a command runs: its environment, and where its result and everything else it says go. */
export interface Place {
  env: NodeJS.ProcessEnv;
  print(line: string): void;
  say(line: string): void;
  /** Whose workflows the histories are replayed against: this build's. */
  codeFor?: typeof codeHere;
}

function readArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { open: flag, id: text, limit: text, sample: text, json: flag, help: flag };
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const choice = {
    id: values.id,
    limit: countOf('limit', values.limit),
    sample: countOf('sample', values.sample),
  };
  const isOne = values.id !== undefined;
  if (!values.help && (values.open || isOne) === positionals.length > 0)
    throw new ConfigError('Say --open, --id ID, or which files to replay.');
  if (values.open && isOne) throw new ConfigError('Say either --open or --id.');
  if (!values.open && (choice.limit ?? choice.sample) !== undefined)
    throw new ConfigError('--limit and --sample are for --open.');
  return { ...values, choice, files: positionals };
}

async function replayOpen(config: Config, choice: Choice, place: Place): Promise<Report> {
  const client = lazyClient(config.temporal);
  try {
    // Bundling takes seconds: first see whether there is somebody to ask.
    await client.withDeadline(Date.now() + 5_000, () => client.workflowService.getSystemInfo({}));
    const code = await codeOf(place, config);
    const report = await checkOpen(client, code, choice, place.say);
    if (choice.id !== undefined && report.replayed + report.unbegun + report.locked.length === 0)
      throw new ConfigError(`There is no conversation ${choice.id} in ${config.temporal.namespace}.`);
    return report;
  } catch (error) {
    throw troubleOf(error, config.temporal);
  } finally {
    await client.connection.close();
  }
}

async function replayFiles(config: Config, paths: string[], place: Place): Promise<Report> {
  const files = filesIn(paths);
  if (files.length === 0)
    throw new ConfigError(`There are no histories (.pb.gz, .json) in ${paths.join(', ')}.`);
  return reportOn(replayAll(recordedIn(files), await codeOf(place, config)));
}

const codeOf = ({ codeFor = codeHere }: Place, { temporal }: Config) => codeFor(temporal.encryption);

async function run(args: string[], place: Place): Promise<number> {
  const { help, json, choice, files } = readArguments(args);
  if (help) {
    place.print(USAGE);
    return 0;
  }
  const config = readConfig(place.env);
  const isRecorded = files.length > 0;
  const report = await (isRecorded ? replayFiles(config, files, place) : replayOpen(config, choice, place));
  const what = isRecorded ? 'recorded' : `open in ${config.temporal.namespace}`;
  place.print(json ? JSON.stringify(report, null, 2) : inWords(report, choice.id ?? what));
  return exitCode(report);
}

/** The command, with what comes after its name. Gives its exit code. */
export async function replay(args: string[], place: Place): Promise<number> {
  try {
    return await run(args, place);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    place.say(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${USAGE}` : message);
    return 2;
  }
}

if (require.main === module) {
  installRuntime(createLog('silent'));
  const place = { env: process.env, print: console.log, say: console.error };
  // Temporal's runtime would stay.
  void replay(process.argv.slice(2), place).then((code) => process.exit(code));
}

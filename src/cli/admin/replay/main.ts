import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '#infra/config';
import { createLog } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import { explainTemporalError } from '#infra/temporal/errors';
import { installTemporalRuntime } from '#worker/temporal-runtime';
import { type OpenWorkflowFilter, parseCountOption, replayOpenWorkflows } from './open-workflows';
import { findHistoryFiles, readRecordedHistories } from './recorded-histories';
import {
  collectReplayReport,
  formatReplayReport,
  loadCurrentWorkflowCode,
  type ReplayReport,
  replayExitCode,
  replayHistories,
} from './replay-histories';

const USAGE = `Replays histories against the workflows of this build, and lists what would break on it.

  npm run replay -- --open             the open conversations of TEMPORAL_NAMESPACE at TEMPORAL_ADDRESS
  npm run replay -- --open --limit 500    the newest 500 of them; --sample 500: 500 of all ages
  npm run replay -- --id ID            one conversation, open or not
  npm run replay -- FILE|FOLDER …      recorded histories: .pb.gz, or .json of \`temporal workflow show --output json\`

  --json   the same for programs: {replayed, unbegun, broken, locked}

Ends with 0 if all of them go on, with 1 if some would break, and with 2 if it could not tell.`;

/** Where a command runs: its environment, and where its result and everything else it says go. */
export interface AdminCommandIo {
  env: NodeJS.ProcessEnv;
  print(line: string): void;
  say(line: string): void;
  /** Whose workflows the histories are replayed against: this build's. */
  codeFor?: typeof loadCurrentWorkflowCode;
}

function parseReplayArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { open: flag, id: text, limit: text, sample: text, json: flag, help: flag };
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const choice = {
    id: values.id,
    limit: parseCountOption('limit', values.limit),
    sample: parseCountOption('sample', values.sample),
  };
  const isOne = values.id !== undefined;
  if (!values.help && (values.open || isOne) === positionals.length > 0)
    throw new ConfigError('Say --open, --id ID, or which files to replay.');
  if (values.open && isOne) throw new ConfigError('Say either --open or --id.');
  if (!values.open && (choice.limit ?? choice.sample) !== undefined)
    throw new ConfigError('--limit and --sample are for --open.');
  return { ...values, choice, files: positionals };
}

async function replayOpen(config: Config, choice: OpenWorkflowFilter, place: AdminCommandIo): Promise<ReplayReport> {
  const client = createTemporalClient(config.temporal);
  try {
    // Bundling takes seconds: first see whether there is somebody to ask.
    await client.withDeadline(Date.now() + 5_000, () => client.workflowService.getSystemInfo({}));
    const code = await loadCodeFor(place, config);
    const report = await replayOpenWorkflows(client, code, choice, place.say);
    if (choice.id !== undefined && report.replayed + report.unbegun + report.locked.length === 0)
      throw new ConfigError(`There is no conversation ${choice.id} in ${config.temporal.namespace}.`);
    return report;
  } catch (error) {
    throw explainTemporalError(error, config.temporal);
  } finally {
    await client.connection.close();
  }
}

async function replayFiles(config: Config, paths: string[], place: AdminCommandIo): Promise<ReplayReport> {
  const files = findHistoryFiles(paths);
  if (files.length === 0) throw new ConfigError(`There are no histories (.pb.gz, .json) in ${paths.join(', ')}.`);
  return collectReplayReport(replayHistories(readRecordedHistories(files), await loadCodeFor(place, config)));
}

const loadCodeFor = ({ codeFor = loadCurrentWorkflowCode }: AdminCommandIo, { temporal }: Config) =>
  codeFor(temporal.encryption);

async function runReplay(args: string[], place: AdminCommandIo): Promise<number> {
  const { help, json, choice, files } = parseReplayArguments(args);
  if (help) {
    place.print(USAGE);
    return 0;
  }
  const config = readConfig(place.env);
  const isRecorded = files.length > 0;
  const report = await (isRecorded ? replayFiles(config, files, place) : replayOpen(config, choice, place));
  const what = isRecorded ? 'recorded' : `open in ${config.temporal.namespace}`;
  place.print(json ? JSON.stringify(report, null, 2) : formatReplayReport(report, choice.id ?? what));
  return replayExitCode(report);
}

/** The command, with what comes after its name. Gives its exit code. */
export async function runReplayCommand(args: string[], place: AdminCommandIo): Promise<number> {
  try {
    return await runReplay(args, place);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    place.say(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${USAGE}` : message);
    return 2;
  }
}

if (require.main === module) {
  installTemporalRuntime(createLog('silent'));
  const place = { env: process.env, print: console.log, say: console.error };
  // Temporal's runtime would stay.
  void runReplayCommand(process.argv.slice(2), place).then((code) => process.exit(code));
}

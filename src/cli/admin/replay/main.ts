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

/** The environment of a command, and where it prints its result and everything else. */
export interface AdminCommandIo {
  env: NodeJS.ProcessEnv;
  print(line: string): void;
  printError(line: string): void;
  /** Loads the workflow code that histories are replayed against; by default that of this build. */
  loadCode?: typeof loadCurrentWorkflowCode;
}

function parseReplayArguments(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { open: flag, id: text, limit: text, sample: text, json: flag, help: flag };
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
  const filter = {
    id: values.id,
    limit: parseCountOption('limit', values.limit),
    sample: parseCountOption('sample', values.sample),
  };
  const isSingle = values.id !== undefined;
  if (!values.help && (values.open || isSingle) === positionals.length > 0)
    throw new ConfigError('Say --open, --id ID, or which files to replay.');
  if (values.open && isSingle) throw new ConfigError('Say either --open or --id.');
  if (!values.open && (filter.limit ?? filter.sample) !== undefined)
    throw new ConfigError('--limit and --sample are for --open.');
  return { ...values, filter, files: positionals };
}

async function replayOpen(config: Config, filter: OpenWorkflowFilter, io: AdminCommandIo): Promise<ReplayReport> {
  const client = createTemporalClient(config.temporal);
  try {
    // Bundling takes seconds, so first check that Temporal answers.
    await client.withDeadline(Date.now() + 5_000, () => client.workflowService.getSystemInfo({}));
    const code = await loadCodeFor(io, config);
    const report = await replayOpenWorkflows(client, code, filter, io.printError);
    if (filter.id !== undefined && report.replayed + report.unbegun + report.locked.length === 0)
      throw new ConfigError(`There is no conversation ${filter.id} in ${config.temporal.namespace}.`);
    return report;
  } catch (error) {
    throw explainTemporalError(error, config.temporal);
  } finally {
    await client.connection.close();
  }
}

async function replayFiles(config: Config, paths: string[], io: AdminCommandIo): Promise<ReplayReport> {
  const files = findHistoryFiles(paths);
  if (files.length === 0) throw new ConfigError(`There are no histories (.pb.gz, .json) in ${paths.join(', ')}.`);
  return collectReplayReport(replayHistories(readRecordedHistories(files), await loadCodeFor(io, config)));
}

const loadCodeFor = ({ loadCode = loadCurrentWorkflowCode }: AdminCommandIo, { temporal }: Config) =>
  loadCode(temporal.encryption);

async function runReplay(args: string[], io: AdminCommandIo): Promise<number> {
  const { help, json, filter, files } = parseReplayArguments(args);
  if (help) {
    io.print(USAGE);
    return 0;
  }
  const config = readConfig(io.env);
  const isRecorded = files.length > 0;
  const report = await (isRecorded ? replayFiles(config, files, io) : replayOpen(config, filter, io));
  const scope = isRecorded ? 'recorded' : `open in ${config.temporal.namespace}`;
  io.print(json ? JSON.stringify(report, null, 2) : formatReplayReport(report, filter.id ?? scope));
  return replayExitCode(report);
}

/** Runs the command with its arguments, and returns its exit code. */
export async function runReplayCommand(args: string[], io: AdminCommandIo): Promise<number> {
  try {
    return await runReplay(args, io);
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    io.printError(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${USAGE}` : message);
    return 2;
  }
}

if (require.main === module) {
  installTemporalRuntime(createLog('silent'));
  const io = { env: process.env, print: console.log, printError: console.error };
  // Temporal's runtime would keep the process alive.
  void runReplayCommand(process.argv.slice(2), io).then((code) => process.exit(code));
}

import { readConfig } from '#channels/read-config';
import { parseCountOption, withTemporalClient } from '#cli/admin/temporal';
import type { AdminContext, AdminHandler } from '#cli/context';
import { type ExitCode, usageError } from '#cli/errors';
import type { Config } from '#infra/config';
import { type OpenWorkflowFilter, replayOpenWorkflows } from './open-workflows';
import { findHistoryFiles, readRecordedHistories } from './recorded-histories';
import {
  collectReplayReport,
  formatReplayReport,
  loadCurrentWorkflowCode,
  type ReplayReport,
  replayExitCode,
  replayHistories,
} from './replay-histories';

interface Options {
  open?: true;
  id?: string;
  sample?: string;
}

/** Replays open or recorded histories on this build and prints which ones would break. */
export const runReplay: AdminHandler<Options> = async (context, { args: files, options }): Promise<ExitCode> => {
  const filter = parseReplayFilter(options, files);
  const config = readConfig(context.env);
  const isRecorded = files.length > 0;
  const report = await (isRecorded ? replayFiles(config, files, context) : replayOpen(config, filter, context));
  const scope = isRecorded ? 'recorded' : `open in ${config.temporal.namespace}`;
  if (context.isJson) context.terminal.printJson(report);
  else context.terminal.print(formatReplayReport(report, filter.id ?? scope));
  return replayExitCode(report);
};

function parseReplayFilter({ open, id, ...options }: Options, files: string[]): OpenWorkflowFilter {
  const sample = parseCountOption('sample', options.sample);
  const isSingle = id !== undefined;
  if ((open || isSingle) === files.length > 0) throw usageError('Pass --open, --id ID, or the files to replay.');
  if (open && isSingle) throw usageError('Pass either --open or --id, not both.');
  if (!open && sample !== undefined) throw usageError('--sample requires --open.');
  return { id, sample };
}

function replayOpen(config: Config, filter: OpenWorkflowFilter, context: AdminContext): Promise<ReplayReport> {
  return withTemporalClient(config, async (client) => {
    const code = await loadCodeFor(context, config);
    const report = await replayOpenWorkflows(client, code, filter, context.terminal.printError);
    if (filter.id !== undefined && report.replayed + report.unbegun + report.locked.length === 0)
      throw usageError(`Conversation ${filter.id} not found in ${config.temporal.namespace}.`);
    return report;
  });
}

async function replayFiles(config: Config, paths: string[], context: AdminContext): Promise<ReplayReport> {
  const files = findHistoryFiles(paths);
  if (files.length === 0) throw usageError(`No histories (.pb.gz, .json) found in ${paths.join(', ')}.`);
  return collectReplayReport(replayHistories(readRecordedHistories(files), await loadCodeFor(context, config)));
}

/** Loads the workflow code to replay histories against. */
export const loadCodeFor = ({ loadWorkflowCode = loadCurrentWorkflowCode }: AdminContext, { temporal }: Config) =>
  loadWorkflowCode(temporal.encryption);

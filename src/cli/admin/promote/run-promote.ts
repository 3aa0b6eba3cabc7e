import type { Client } from '@temporalio/client';
import { readConfig } from '#channels/read-config';
import { replayOpenWorkflows } from '#cli/admin/replay/open-workflows';
import { formatReplayReport, replayExitCode } from '#cli/admin/replay/replay-histories';
import { loadCodeFor } from '#cli/admin/replay/run-replay';
import { parseCountOption, withTemporalClient } from '#cli/admin/temporal';
import type { AdminContext, AdminHandler } from '#cli/context';
import { EXIT, usageError } from '#cli/errors';
import type { Config } from '#infra/config';
import { TASK_QUEUE } from '#workflows/messages';
import { promoteBuild, promotionRefused } from './promote-build';

interface Options {
  ramp?: string;
  unversioned?: true;
  deployment?: string;
  replay: boolean;
  sample?: string;
  wait?: string;
  force?: true;
  taskQueue?: string;
}

const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 3_600;

/** Promotes a build after replaying the open conversations. */
export const runPromote: AdminHandler<Options> = async (context, { args: [buildId], options }) => {
  if ((buildId === undefined) !== Boolean(options.unversioned))
    throw usageError('Pass either a BUILD or --unversioned.');
  const sample = parseCountOption('sample', options.sample);
  const config = readConfig(context.env);
  if (options.replay) rejectOtherBuild(config, buildId);
  const request = {
    deploymentName:
      options.deployment ?? config.build?.deploymentName ?? config.environment.PARLEY_DEPLOYMENT ?? 'parley',
    buildId,
    percent: parseNumberOption('ramp', options.ramp, 100),
    isForced: options.force ?? false,
    taskQueue: options.taskQueue ?? TASK_QUEUE,
    waitMs: 1_000 * (parseNumberOption('wait', options.wait, MAX_WAIT_SECONDS) ?? DEFAULT_WAIT_SECONDS),
  };
  await withTemporalClient(config, async (client) => {
    if (options.replay) await replayBeforePromotion(config, client, sample, context);
    context.terminal.print(...(await promoteBuild(client, request, context.terminal.printError)));
  });
  return EXIT.completed;
};

function parseNumberOption(name: string, value: string | undefined, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value) || Number(value) > max)
    throw usageError(`--${name} must be a number from 0 to ${max}.`);
  return Number(value);
}

/** Rejects a replay for another build, because only the code of this build can be replayed. */
function rejectOtherBuild({ build }: Config, buildId: string | undefined): void {
  if (!build || build.buildId === buildId) return;
  throw promotionRefused(
    `This is build ${build.buildId} (PARLEY_BUILD_ID), so a replay here can't check ${buildId ?? 'workers without one'}. Run this from that build, or pass --no-replay.`,
  );
}

async function replayBeforePromotion(
  config: Config,
  client: Client,
  sample: number | undefined,
  context: AdminContext,
): Promise<void> {
  const { printError } = context.terminal;
  const code = await loadCodeFor(context, config);
  const report = await replayOpenWorkflows(client, code, { sample }, printError);
  const text = formatReplayReport(report, `open in ${config.temporal.namespace}`);
  if (replayExitCode(report) !== 0)
    throw promotionRefused(`${text}\n\nNothing was changed. Fix the code, or promote anyway with --no-replay.`);
  printError(text);
}

import { parseArgs } from 'node:util';
import type { AdminCommandIo } from '#cli/admin/replay/main';
import { parseCountOption, replayOpenWorkflows } from '#cli/admin/replay/open-workflows';
import { formatReplayReport, loadCurrentWorkflowCode, replayExitCode } from '#cli/admin/replay/replay-histories';
import { type Config, ConfigError, readConfig } from '#infra/config';
import { createLog } from '#infra/log';
import { createTemporalClient } from '#infra/temporal/client';
import { explainTemporalError } from '#infra/temporal/errors';
import { installTemporalRuntime } from '#worker/temporal-runtime';
import { TASK_QUEUE } from '#workflows/messages';
import { PromotionRefusedError, promoteBuild } from './promote';

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

function parsePromoteArguments(args: string[]) {
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
  return { ...values, buildId: positionals[0], sample: parseCountOption('sample', values.sample) };
}

type PromoteArguments = ReturnType<typeof parsePromoteArguments>;

function parseNumberOption(name: string, value: string | undefined, max: number): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+(\.\d+)?$/.test(value) || Number(value) > max)
    throw new ConfigError(`--${name} takes a number from 0 to ${max}.`);
  return Number(value);
}

/** Refuses a replay for another build, because only the code here can be replayed. */
function rejectOtherBuild({ build }: Config, args: PromoteArguments): void {
  if (args['no-replay'] || !build || build.buildId === args.buildId) return;
  throw new PromotionRefusedError(
    `This is build ${build.buildId} (PARLEY_BUILD_ID), so a replay here says nothing about ${args.buildId ?? 'workers without one'}. Run this from that build, or say --no-replay.`,
  );
}

async function replayBeforePromotion(
  config: Config,
  client: ReturnType<typeof createTemporalClient>,
  args: PromoteArguments,
  { loadCode = loadCurrentWorkflowCode, printError }: AdminCommandIo,
) {
  if (args['no-replay']) return;
  const code = await loadCode(config.temporal.encryption);
  const report = await replayOpenWorkflows(client, code, { sample: args.sample }, printError);
  const text = formatReplayReport(report, `open in ${config.temporal.namespace}`);
  if (replayExitCode(report) !== 0)
    throw new PromotionRefusedError(
      `${text}\n\nNothing was changed. Mend it, or promote with --no-replay all the same.`,
    );
  printError(text);
}

async function runPromotion(argv: string[], io: AdminCommandIo): Promise<void> {
  const args = parsePromoteArguments(argv);
  if (args.help) return io.print(USAGE);
  const config = readConfig(io.env);
  rejectOtherBuild(config, args);
  const request = {
    deploymentName: args.deployment ?? config.build?.deploymentName ?? config.environment.PARLEY_DEPLOYMENT ?? 'parley',
    buildId: args.buildId,
    percent: parseNumberOption('ramp', args.ramp, 100),
    isForced: args.force ?? false,
    taskQueue: args['task-queue'] ?? TASK_QUEUE,
    waitMs: 1_000 * (parseNumberOption('wait', args.wait, 3_600) ?? 30),
  };
  const client = createTemporalClient(config.temporal);
  try {
    await client.withDeadline(Date.now() + 5_000, () => client.workflowService.getSystemInfo({}));
    await replayBeforePromotion(config, client, args, io);
    for (const line of await promoteBuild(client, request, io.printError)) io.print(line);
  } catch (error) {
    throw error instanceof PromotionRefusedError ? error : explainTemporalError(error, config.temporal);
  } finally {
    await client.connection.close();
  }
}

/** Runs the command with its arguments, and returns its exit code. */
export async function runPromoteCommand(args: string[], io: AdminCommandIo): Promise<number> {
  try {
    await runPromotion(args, io);
    return 0;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    io.printError(code?.startsWith('ERR_PARSE_ARGS') ? `${message}\n\n${USAGE}` : message);
    return error instanceof PromotionRefusedError ? 1 : 2;
  }
}

if (require.main === module) {
  installTemporalRuntime(createLog('silent'));
  const io = { env: process.env, print: console.log, printError: console.error };
  // Temporal's runtime would keep the process alive.
  void runPromoteCommand(process.argv.slice(2), io).then((code) => process.exit(code));
}

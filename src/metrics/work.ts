import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { NoticeOrder } from '../activities/notify';
import type { ToolUse } from '../activities/use-tool';
import { channelOf } from '../core/destination';
import type { Errand } from '../workflows/errands';
import { bounded } from './labels';

const RUNS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Failures that no further attempt follows. */
const FINAL = ['undeliverable', 'gone', 'no_such_channel'];

/** What activities did, each attempt of them: seen from around them, so that they need not count themselves. */
export function workMetrics(registers: Registry[]): ActivityInterceptorsFactory {
  const tools = new Counter({
    name: 'parley_tool_runs_total',
    help: 'Runs of tools: ok, tool_error (the model hears what went wrong) or crashed.',
    labelNames: ['tool', 'outcome'],
    registers,
  });
  const toolSeconds = new Histogram({
    name: 'parley_tool_run_seconds',
    help: 'How long tools run.',
    labelNames: ['tool'],
    buckets: RUNS,
    registers,
  });
  const deliveries = new Counter({
    name: 'parley_deliveries_total',
    help: 'Attempts to tell somebody by a channel: sent, needless, failed (tried again later) or given_up.',
    labelNames: ['channel', 'tells', 'outcome'],
    registers,
  });
  const toolNamed = bounded();
  const channelNamed = bounded();

  const runTool = async ({ name, mcp }: ToolUse, run: () => Promise<unknown>) => {
    const tool = toolNamed(mcp ? `mcp:${mcp.name}` : name);
    const stop = toolSeconds.startTimer({ tool });
    const count = (outcome: string) => tools.inc({ tool, outcome });
    const done = await run()
      .catch((error) => {
        count('crashed');
        throw error;
      })
      .finally(stop);
    count('error' in (done as object) ? 'tool_error' : 'ok');
    return done;
  };
  const tell = async (channel: string, tells: string, run: () => Promise<unknown>) => {
    const count = (outcome: string) =>
      deliveries.inc({ channel: channelNamed(channelOf(channel)), tells, outcome });
    const done = await run().catch((error: { type?: string; name?: string }) => {
      if (error.name !== 'CancelledFailure') count(FINAL.includes(error.type ?? '') ? 'given_up' : 'failed');
      throw error;
    });
    count((done as { sent?: boolean } | undefined)?.sent === false ? 'needless' : 'sent');
    return done;
  };

  return ({ info }) => ({
    inbound: {
      execute(input, next) {
        const run = () => next(input);
        const [given] = input.args;
        if (info.activityType === 'useTool') return runTool(given as ToolUse, run);
        if (info.activityType === 'notify') return tell((given as NoticeOrder).channel, 'question', run);
        if (info.activityType === 'deliver') {
          const errand = given as Errand;
          return tell(errand.channel, errand.run ? 'export' : errand.question ? 'outcome' : 'end', run);
        }
        return run();
      },
    },
  });
}

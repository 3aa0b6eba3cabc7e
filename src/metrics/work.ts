import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { NoticeOrder } from '#activities/notify';
import type { ToolUse } from '#activities/use-tool';
import { channelOf } from '#core/destination';
import type { Errand } from '#workflows/errands';
import type { Instruments } from './instruments';
import { bounded } from './labels';

const RUNS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type Run = () => Promise<unknown>;

/** What activities did, each attempt of them: seen from around them, so that they need not count themselves. */
export function workMetrics(make: Instruments): ActivityInterceptorsFactory {
  const runTool = toolMetrics(make);
  const tell = deliveryMetrics(make);
  return ({ info: { activityType } }) => ({
    inbound: {
      execute(input, next) {
        const run = () => next(input);
        const [given] = input.args;
        if (activityType === 'useTool') return runTool(given as ToolUse, run);
        if (activityType === 'notify') return tell((given as NoticeOrder).channel, 'question', run);
        if (activityType === 'deliver') {
          const errand = given as Errand;
          return tell(errand.channel, errand.run ? 'export' : errand.question ? 'outcome' : 'end', run);
        }
        return run();
      },
    },
  });
}

function toolMetrics(make: Instruments) {
  const runs = make.counter(
    'parley_tool_runs_total',
    'Runs of tools: ok, tool_error (the model hears what went wrong) or crashed.',
    ...['tool', 'outcome'],
  );
  const seconds = make.histogram('parley_tool_run_seconds', 'How long tools run.', RUNS, 'tool');
  const named = bounded();
  return async ({ name, mcp }: ToolUse, run: Run): Promise<unknown> => {
    const tool = named(mcp ? `mcp:${mcp.name}` : name);
    const stop = seconds.startTimer({ tool });
    try {
      const done = await run();
      runs.inc({ tool, outcome: 'error' in (done as object) ? 'tool_error' : 'ok' });
      return done;
    } catch (error) {
      runs.inc({ tool, outcome: 'crashed' });
      throw error;
    } finally {
      stop();
    }
  };
}

/** Failures that no further attempt follows. */
const FINAL = ['undeliverable', 'gone', 'no_such_channel'];

function deliveryMetrics(make: Instruments) {
  const deliveries = make.counter(
    'parley_deliveries_total',
    'Attempts to tell somebody by a channel: sent, needless, failed (tried again later) or given_up.',
    ...['channel', 'tells', 'outcome'],
  );
  const named = bounded();
  return async (destination: string, tells: string, run: Run): Promise<unknown> => {
    const channel = named(channelOf(destination));
    const count = (outcome: string) => deliveries.inc({ channel, tells, outcome });
    try {
      const done = await run();
      count((done as { sent?: boolean } | undefined)?.sent === false ? 'needless' : 'sent');
      return done;
    } catch (error) {
      const { type = '', name } = error as { type?: string; name?: string };
      if (name !== 'CancelledFailure') count(FINAL.includes(type) ? 'given_up' : 'failed');
      throw error;
    }
  };
}

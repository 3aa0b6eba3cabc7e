import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ToolInvocation } from '#activities/run-tool';
import type { NotificationRequest } from '#activities/send-notification';
import { channelName } from '#core/questions/notifications';
import { createLabelLimiter, type MetricFactory } from '#infra/telemetry/prometheus';
import type { DeliveryJob } from '#workflows/delivery';

const TOOL_SECONDS_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type RunActivity = () => Promise<unknown>;

/** What activities did, each attempt of them: seen from around them, so that they need not count themselves. */
export function createActivityMetrics(make: MetricFactory): ActivityInterceptorsFactory {
  const runTool = createToolMetrics(make);
  const tell = createDeliveryMetrics(make);
  return ({ info: { activityType } }) => ({
    inbound: {
      execute(input, next) {
        const run = () => next(input);
        const [given] = input.args;
        if (activityType === 'useTool') return runTool(given as ToolInvocation, run);
        if (activityType === 'notify') return tell((given as NotificationRequest).channel, 'question', run);
        if (activityType === 'deliver') {
          const errand = given as DeliveryJob;
          return tell(errand.channel, errand.run ? 'export' : errand.question ? 'outcome' : 'end', run);
        }
        return run();
      },
    },
  });
}

function createToolMetrics(make: MetricFactory) {
  const runs = make.counter(
    'parley_tool_runs_total',
    'Runs of tools: ok, tool_error (the model hears what went wrong) or crashed.',
    ...['tool', 'outcome'],
  );
  const seconds = make.histogram('parley_tool_run_seconds', 'How long tools run.', TOOL_SECONDS_BUCKETS, 'tool');
  const named = createLabelLimiter();
  return async ({ name, mcp }: ToolInvocation, run: RunActivity): Promise<unknown> => {
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
const FINAL_FAILURE_TYPES = ['undeliverable', 'gone', 'no_such_channel'];

function createDeliveryMetrics(make: MetricFactory) {
  const deliveries = make.counter(
    'parley_deliveries_total',
    'Attempts to tell somebody by a channel: sent, needless, failed (tried again later) or given_up.',
    ...['channel', 'tells', 'outcome'],
  );
  const named = createLabelLimiter();
  return async (destination: string, tells: string, run: RunActivity): Promise<unknown> => {
    const channel = named(channelName(destination));
    const count = (outcome: string) => deliveries.inc({ channel, tells, outcome });
    try {
      const done = await run();
      count((done as { sent?: boolean } | undefined)?.sent === false ? 'needless' : 'sent');
      return done;
    } catch (error) {
      const { type = '', name } = error as { type?: string; name?: string };
      if (name !== 'CancelledFailure') count(FINAL_FAILURE_TYPES.includes(type) ? 'given_up' : 'failed');
      throw error;
    }
  };
}

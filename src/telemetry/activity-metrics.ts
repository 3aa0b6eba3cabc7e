import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { NotificationRequest } from '#activities/notifications';
import type { ToolInvocation } from '#activities/run-tool';
import { channelName } from '#core/questions/notifications';
import { createLabelLimiter, type MetricFactory } from '#infra/telemetry/prometheus';
import type { DeliveryContent, DeliveryRecipient } from '#workflows/delivery';

const TOOL_SECONDS_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

type RunActivity = () => Promise<unknown>;

/** Counts each attempt of an activity in an interceptor, so that activities need no metrics code. */
export function createActivityMetrics(factory: MetricFactory): ActivityInterceptorsFactory {
  const countToolRun = createToolMetrics(factory);
  const countDelivery = createDeliveryMetrics(factory);
  return ({ info: { activityType } }) => ({
    inbound: {
      execute(input, next) {
        const run = () => next(input);
        const [payload] = input.args;
        if (activityType === 'runTool') return countToolRun(payload as ToolInvocation, run);
        if (activityType === 'sendNotification')
          return countDelivery((payload as NotificationRequest).channel, 'question', run);
        if (activityType === 'deliverOutcome') {
          const [content, { channel }] = input.args as [DeliveryContent, DeliveryRecipient];
          return countDelivery(channel, content.kind, run);
        }
        return run();
      },
    },
  });
}

function createToolMetrics(factory: MetricFactory) {
  const runs = factory.counter(
    'parley_tool_runs_total',
    'Tool runs: ok, tool_error (reported to the model) or crashed.',
    ...['tool', 'outcome'],
  );
  const duration = factory.histogram('parley_tool_run_seconds', 'Duration of tool runs.', TOOL_SECONDS_BUCKETS, 'tool');
  const limitLabel = createLabelLimiter();
  return async ({ name, mcp }: ToolInvocation, run: RunActivity): Promise<unknown> => {
    const tool = limitLabel(mcp ? `mcp:${mcp.name}` : name);
    const stopTimer = duration.startTimer({ tool });
    try {
      const result = await run();
      runs.inc({ tool, outcome: 'error' in (result as object) ? 'tool_error' : 'ok' });
      return result;
    } catch (error) {
      runs.inc({ tool, outcome: 'crashed' });
      throw error;
    } finally {
      stopTimer();
    }
  };
}

/** Errors that are not retried. */
const FINAL_FAILURE_TYPES = ['undeliverable', 'gone', 'no_such_channel'];

function createDeliveryMetrics(factory: MetricFactory) {
  const deliveries = factory.counter(
    'parley_deliveries_total',
    'Delivery attempts by channel: sent, needless, failed (retried later) or given_up.',
    ...['channel', 'tells', 'outcome'],
  );
  const limitLabel = createLabelLimiter();
  return async (destination: string, kind: string, run: RunActivity): Promise<unknown> => {
    const channel = limitLabel(channelName(destination));
    const count = (outcome: string) => deliveries.inc({ channel, tells: kind, outcome });
    try {
      const result = await run();
      count((result as { sent?: boolean } | undefined)?.sent === false ? 'needless' : 'sent');
      return result;
    } catch (error) {
      const { type = '', name } = error as { type?: string; name?: string };
      if (name !== 'CancelledFailure') count(FINAL_FAILURE_TYPES.includes(type) ? 'given_up' : 'failed');
      throw error;
    }
  };
}

const Sequencer = require('@jest/test-sequencer').default;

/** Each takes 15 seconds or more, most of it waiting. Started last, a single one would delay the whole run. */
const SLOWEST = [
  'deploy/lambda',
  'workflows/runtime/two-builds',
  'channels/slack/inbound/outages',
  'web/accessibility/wcag',
  'chaos/short-run',
  'process/upgrade',
  'workflows/history/size',
  'process/worker-crash',
  'infra/temporal/dev-server/data-folder-server',
  'web/large-inbox',
  'workflows/delivery',
  'cli/prompt/send-errors',
  'channels/email/inbound/handle-reply',
  'process/npm-start',
  'workflows/history/archiving',
  'workflows/history/continue-as-new',
  'workflows/history/long-transcript',
  'cli/json',
  'web/answer-page',
  'api/streaming/conversation-stream',
  'channels/all-channels',
  'api/temporal-down',
  'api/middleware/idempotency',
  'web/accessibility/keyboard-reach',
  'process/graceful-shutdown',
  'cli/commands/inbox',
  'web/resilience/no-worker',
  'workflows/steps/run-subagents',
  'api/pages/answer/outages',
  'cli/commands/doctor',
  'web/resilience/offline',
  'web/resilience/safeguards',
  'channels/email/conversation',
  'api/streaming/inbox-stream',
  'api/streaming/no-worker',
  'api/encryption',
];

/** Used without timings of an earlier run, as on a fresh checkout, where jest would sort by file size. */
module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const rankOf = ({ path }) => {
      const found = SLOWEST.findIndex((name) => path.endsWith(`${name}.test.ts`));
      return found < 0 ? SLOWEST.length : found;
    };
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
};
